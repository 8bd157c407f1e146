"""The port over LangChain's chat models, whichever family.

Endpoints differ in how they can be made to give JSON. What an endpoint takes is found out with the
first call and remembered: a JSON schema, a forced tool call, or an object asked for in words.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from backend.app.core.logging import get_logger
from backend.app.domain.language_models import (
    ModelAnswer,
    ModelCall,
    ModelFailed,
    ModelFault,
    Usage,
)
from backend.app.providers.llm.answers import data_of, usage_of
from backend.app.providers.llm.faults import fault_of, may_be_the_method, status_of, usage_in

#: Before a question that was throttled is put once more.
_BACKOFF_SECONDS = 0.4
_IN_WORDS = """

Answer with one JSON object of this JSON schema, without anything before or behind it:
{schema}"""


class Method(StrEnum):
    """How an endpoint is made to give JSON; the first that works is kept."""

    JSON_SCHEMA = "json_schema"
    TOOL = "function_calling"
    WORDS = "words"


class _MethodRefused(Exception):
    """Another way of asking may help."""

    def __init__(self, fault: ModelFault, usage: Usage) -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.usage = usage


@dataclass(slots=True)
class LangChainModel:
    """One chat model for each role, by one provider.

    ``threads``: of a client that blocks, such as Bedrock's: its calls have threads of their own, so
    that however many of them hang, nothing else waits. A call that is given up goes on in its
    thread until its own time limit, and its answer is dropped. Without ``threads`` the client is an
    asynchronous one, and a call that is given up is closed. ``at_once`` bounds either.
    """

    chats: Mapping[str, Any]
    at_once: int
    threads: ThreadPoolExecutor | None = None
    _works: dict[str, Method] = field(default_factory=dict)
    #: How often all ways of asking were tried in vain, by role.
    _in_vain: Counter[str] = field(default_factory=Counter)
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.at_once)

    async def ask(self, call: ModelCall) -> ModelAnswer:
        """What the role's model answers.

        Raises:
            ModelFailed: it gave no answer in time, or none that is JSON.
        """
        usage, fault = Usage(), ModelFault.BROKEN
        try:
            async with asyncio.timeout(call.seconds):
                for method in self._methods(call):
                    try:
                        answer = await self._patiently(call, method)
                    except _MethodRefused as refused:
                        usage += refused.usage
                        fault = refused.fault
                        continue
                    self._works[call.role] = method
                    return ModelAnswer(answer.data, usage + answer.usage)
        except TimeoutError:
            raise ModelFailed(ModelFault.TIMED_OUT, usage) from None
        except ModelFailed as failed:
            raise ModelFailed(failed.fault, usage + failed.usage) from failed
        self._in_vain[call.role] += 1
        raise ModelFailed(fault, usage)

    def _methods(self, call: ModelCall) -> list[Method]:
        """What works; until that is known, first every way, then one at a time by turns: a question
        to an endpoint that never gives JSON costs one call and not three.
        """
        known = self._works.get(call.role)
        if known is not None:
            return [known]
        ways, tried = list(Method), self._in_vain[call.role]
        return [ways[tried % len(ways)]] if tried else ways

    async def _patiently(self, call: ModelCall, method: Method) -> ModelAnswer:
        try:
            return await self._by(call, method)
        except ModelFailed as failed:
            if failed.fault is not ModelFault.THROTTLED:
                raise
        await asyncio.sleep(_BACKOFF_SECONDS)
        return await self._by(call, method)

    async def _by(self, call: ModelCall, method: Method) -> ModelAnswer:
        """The answer to one request.

        Raises:
            ModelFailed: there is none.
            _MethodRefused: there is none, and this way of asking has never worked here.
        """
        is_known = call.role in self._works
        try:
            message = await self._send(call, method)
        except Exception as error:
            # Whatever a provider's library raises over whatever an endpoint sent is a fault of ours
            # to name; nothing of its words goes on, they may quote the prompt.
            fault, cost = fault_of(error), usage_in(error)
            get_logger("models").info("model_failed", fault=fault.value, error=type(error).__name__)
            may_help = may_be_the_method(error) or fault is ModelFault.UNUSABLE
            if may_help and not is_known:
                raise _MethodRefused(fault, cost) from error
            if status_of(error) in {400, 422}:  # what worked before does so no more
                self._works.pop(call.role, None)
            raise ModelFailed(fault, cost) from error
        cost = usage_of(message, len(call.system) + len(call.user))
        try:
            return ModelAnswer(data_of(message, cost), cost)
        except ModelFailed as failed:
            if failed.fault is ModelFault.UNUSABLE and not is_known:
                raise _MethodRefused(failed.fault, cost) from failed
            raise

    async def _send(self, call: ModelCall, method: Method) -> Any:
        chat = self.chats[call.role].model_copy(update={"max_tokens": call.max_tokens})
        system = call.system
        if method is Method.WORDS:
            system += _IN_WORDS.format(schema=json.dumps(call.schema))
        else:
            chat = chat.with_structured_output(
                dict(call.schema), method=method.value, include_raw=True
            )
        messages = [("system", _encodable(system)), ("human", _encodable(call.user))]
        async with self._slots:
            if self.threads is None:
                said = await chat.ainvoke(messages)
            else:
                loop = asyncio.get_running_loop()
                work = partial(copy_context().run, chat.invoke, messages)
                said = await loop.run_in_executor(self.threads, work)
        return said["raw"] if isinstance(said, dict) else said


def _encodable(text: str) -> str:
    # Half a UTF-16 pair cannot be sent; whoever asked has cleaned what it knows to be from outside.
    return text.encode("utf-8", "replace").decode("utf-8")
