"""The one place where providers' libraries are imported: only when a model is set, and only its
own.
"""

from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
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
    try:
        if settings.provider is ModelProvider.BEDROCK:
            with_threads = ThreadPoolExecutor(settings.at_once, thread_name_prefix="model")
            try:
                chats = _chats(settings, lambda name: _bedrock(settings, name))
                yield LangChainModel(chats, settings.at_once, with_threads)
            finally:
                # What still hangs ends with its own time limit; nobody waits for it.
                with_threads.shutdown(wait=False, cancel_futures=True)
            return
        limits = httpx.Limits(max_connections=settings.at_once)
        async with httpx.AsyncClient(limits=limits, timeout=_timeout(settings)) as client:
            make = _anthropic if settings.provider is ModelProvider.ANTHROPIC else _openai
            chats = _chats(settings, lambda name: make(settings, name, client))
            yield LangChainModel(chats, settings.at_once)
    except ImportError as error:
        if (error.name or "").split(".")[0] not in {
            "langchain_aws",
            "langchain_anthropic",
            "langchain_openai",
            "boto3",
            "botocore",
        }:
            raise
        raise ModelLibraryMissing(
            f"HELPDESK_MODEL_PROVIDER={settings.provider.value} needs the package"
            f" {_PACKAGES[settings.provider]}, which is not installed. Install what"
            " requirements-live.lock names (./scripts/serve does), or helpdesk-agent[live]"
        ) from error


def _chats(settings: ModelSettings, make: Callable[[str], Any]) -> dict[str, Any]:
    """One chat model for each name, under every role that it is for."""
    names = {role: settings.model_of(role.value) or "" for role in ModelRole}
    made = {name: make(name) for name in set(names.values())}
    return {role.value: made[name] for role, name in names.items()}


def _timeout(settings: ModelSettings) -> httpx.Timeout:
    return httpx.Timeout(settings.timeout_seconds, connect=settings.connect_timeout_seconds)


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


def _openai(settings: ModelSettings, name: str, client: httpx.AsyncClient) -> Any:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 -- the factory

    key = settings.api_key or (_NO_KEY if settings.base_url else None)
    return ChatOpenAI(
        model=name,
        base_url=settings.base_url,
        api_key=key,
        max_retries=0,
        timeout=_timeout(settings),
        http_async_client=client,
        use_responses_api=False,
    )


def _anthropic(settings: ModelSettings, name: str, _client: httpx.AsyncClient) -> Any:
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415 -- the factory

    given: dict[str, Any] = {"base_url": settings.base_url}
    key = settings.api_key or (_NO_KEY if settings.base_url else None)
    if key is not None:
        given["api_key"] = key
    return ChatAnthropic(
        model=name,
        max_retries=0,
        timeout=settings.timeout_seconds,
        **{key: value for key, value in given.items() if value is not None},
    )
