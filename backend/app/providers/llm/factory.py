"""The one place where providers' libraries are imported: only when a model is set, and only its
own.
"""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
from pydantic import SecretStr

from backend.app.core.model_settings import ModelProvider, ModelSettings
from backend.app.core.settings import UnsafeSettings
from backend.app.domain.language_models import LanguageModel, ModelRole
from backend.app.providers.llm.chat import LangChainModel

_PACKAGES = {
    ModelProvider.BEDROCK: "langchain-aws",
    ModelProvider.ANTHROPIC: "langchain-anthropic",
    ModelProvider.OPENAI: "langchain-openai",
}
#: Stands for the key of an endpoint that wants none; the library insists on one, and must not send
#: an address of ours the key that it finds in its own environment variable.
_NO_KEY = SecretStr("none")


class ModelLibraryMissing(UnsafeSettings):
    """A provider is set whose library is not installed; the message says what to install."""


@asynccontextmanager
async def language_model(settings: ModelSettings) -> AsyncIterator[LanguageModel | None]:
    """The models that the settings name, closed on leaving; None when all goes by rules.

    Raises:
        UnsafeSettings: a setting is missing, or the provider's library is.
    """
    if not settings.is_live:
        yield None
        return
    if lacking := settings.lacking():
        raise UnsafeSettings(lacking)
    async with AsyncExitStack() as held:
        threads = None
        if settings.provider is ModelProvider.BEDROCK:
            threads = ThreadPoolExecutor(settings.at_once, thread_name_prefix="model")
            # What still hangs then ends with its own time limit; nobody waits for it.
            held.callback(threads.shutdown, wait=False, cancel_futures=True)
        names = {role.value: settings.model_of(role.value) or "" for role in ModelRole}
        made = {name: await _made(settings, name, held) for name in set(names.values())}
        chats = {role: made[name] for role, name in names.items()}
        yield LangChainModel(chats, settings.at_once, threads)


async def _made(settings: ModelSettings, name: str, held: AsyncExitStack) -> Any:
    try:
        match settings.provider:
            case ModelProvider.BEDROCK:
                return _bedrock(settings, name)
            case ModelProvider.ANTHROPIC:
                return await _anthropic(settings, name, held)
            case _:
                return await _openai(settings, name, held)
    except ModuleNotFoundError as error:
        raise ModelLibraryMissing(
            f"HELPDESK_MODEL_PROVIDER={settings.provider.value} needs the package"
            f" {_PACKAGES[settings.provider]}; {error.name} is not installed. Install what"
            " requirements-live.lock names (./scripts/serve does), or helpdesk-agent[live]"
        ) from error


def _bedrock(settings: ModelSettings, name: str) -> Any:
    from botocore.config import Config  # noqa: PLC0415 -- the factory
    from langchain_aws import ChatBedrockConverse  # noqa: PLC0415 -- the factory

    given: dict[str, Any] = {
        "aws_access_key_id": settings.aws_access_key_id,
        "aws_secret_access_key": settings.aws_secret_access_key,
        "aws_session_token": settings.aws_session_token,
        "region_name": settings.region,
        "base_url": settings.base_url,
    }
    return ChatBedrockConverse(
        model_id=name,
        config=Config(
            connect_timeout=settings.connect_timeout_seconds,
            read_timeout=settings.timeout_seconds,
            retries={"total_max_attempts": 1},
            max_pool_connections=settings.at_once,
        ),
        **{key: value for key, value in given.items() if value is not None},
    )


async def _openai(settings: ModelSettings, name: str, held: AsyncExitStack) -> Any:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 -- the factory

    limits = httpx.Limits(max_connections=settings.at_once)
    timeout = httpx.Timeout(settings.timeout_seconds, connect=settings.connect_timeout_seconds)
    client = await held.enter_async_context(httpx.AsyncClient(limits=limits, timeout=timeout))
    return ChatOpenAI(
        model=name,
        base_url=settings.base_url,
        api_key=settings.api_key or (_NO_KEY if settings.base_url else None),
        max_retries=0,
        timeout=timeout,
        http_async_client=client,
        use_responses_api=False,
    )


async def _anthropic(settings: ModelSettings, name: str, held: AsyncExitStack) -> Any:
    from anthropic import DefaultAsyncHttpxClient  # noqa: PLC0415 -- the factory
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415 -- the factory

    given: dict[str, Any] = {
        "base_url": settings.base_url,
        "api_key": settings.api_key or (_NO_KEY if settings.base_url else None),
    }
    chat = ChatAnthropic(
        model_name=name,
        max_retries=0,
        timeout=settings.timeout_seconds,
        stop=None,
        **{key: value for key, value in given.items() if value is not None},
    )
    # It has no argument for a client of ours, and never closes its own. The name is not public: a
    # test that no connection is left open holds that ours is the one that is used.
    client = await held.enter_async_context(DefaultAsyncHttpxClient(follow_redirects=False))
    chat.__dict__["_async_client"] = chat._async_client.copy(http_client=client)
    return chat
