"""Asking a model within what a session may spend, and taking its answer for data.

A call that gives nothing usable is repaired once; what then is still unusable is told as a fault,
and whoever asked goes on by rules.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from langgraph.config import get_stream_writer
from pydantic import ValidationError

from backend.app.core.clock import Clock
from backend.app.core.ids import IdSource
from backend.app.db.uow import refuse_inside_unit_of_work
from backend.app.domain.language_models import (
    LanguageModel,
    ModelCall,
    ModelFailed,
    ModelFault,
    ModelRole,
    Usage,
)
from backend.app.services.helpdesk_graph.briefing import Brief, Briefing
from backend.app.services.helpdesk_graph.prompts import Prompt
from backend.app.services.helpdesk_graph.shapes import Shape
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool

T = TypeVar("T", bound=Shape)

#: With less time than this no call is begun.
_LEAST_SECONDS = 0.5
#: With room for fewer tokens than this none is begun either.
_LEAST_TOKENS = 64
#: Rather too many than too few: a call is begun only when its prompt fits what is left.
_CHARACTERS_PER_TOKEN = 3
_REPAIRED = frozenset({ModelFault.UNUSABLE, ModelFault.TRUNCATED})
_REPAIR = """

Your last answer could not be used: {why}. Answer once more, with one JSON object of the given form
and nothing else."""
_TRUNCATED = "it was cut off because it was too long"
_NO_OBJECT = "it was not one JSON object"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTold:
    """What is told of a question to a model, all its calls together. ``fault`` is None when it
    gave a usable answer; ``forged`` and ``is_guarded`` are for the count of blocked injections.
    """

    role: ModelRole
    prompt: str
    fault: ModelFault | None
    usage: Usage
    latency_ms: int
    forged: int
    is_guarded: bool


@dataclass(frozen=True, slots=True)
class Thought(Generic[T]):
    """A model's answer of the right form, or why there is none."""

    value: T | None
    fault: ModelFault | None
    usage: Usage


class Purse(Protocol):
    """What a run may spend, and has spent: the run's context."""

    clock: Clock
    tokens: int
    away: ModelFault | None
    forged: int

    def time_left(self) -> float:
        """Seconds of active time that are left; never below zero."""


def _fits(_: object) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Mind:
    """A model as the agent uses it. ``seconds`` bounds one call, ``budget`` a session's tokens."""

    model: LanguageModel
    ids: IdSource
    budget: int
    seconds: float
    limit: int

    def briefing(self) -> Briefing:
        """Writes the material of the next call, its markers under a nonce of their own."""
        return Briefing(self.limit, self.ids.uuid().hex[:16])

    @trace_agent_tool(
        lambda called: f"ask_{called['prompt'].role.value}",
        run_type="llm",
        told=lambda called: {"role": called["prompt"].role, "brief": called["brief"].text},
    )
    async def think(
        self,
        purse: Purse,
        prompt: Prompt,
        brief: Brief,
        form: type[T],
        unfit: Callable[[T], str | None] = _fits,
    ) -> Thought[T]:
        """Ask for an answer of the form, once more if need be.

        Args:
            purse: is charged with the tokens.
            prompt: what is to be done.
            brief: with what.
            form: of the answer.
            unfit: says why an answer of the form cannot be used all the same, or None.
        """
        refuse_inside_unit_of_work("A model")
        began = purse.clock.monotonic()
        usage, value, is_guarded = Usage(), None, False
        why: str | None = ""
        fault: ModelFault | None = None
        while why is not None:
            is_repair = bool(why)
            text = brief.text + (_REPAIR.format(why=why) if why else "")
            value, fault, why, cost = await self._once(purse, prompt, text, form, unfit)
            usage += cost
            purse.tokens += cost.total
            is_unusable = fault is ModelFault.UNUSABLE
            is_guarded = is_guarded or (is_unusable and brief.steers(prompt.role))
            if is_repair:
                break
        if fault is not None and fault.is_away:
            purse.away = fault  # the rest of the run does not wait for it again
        self._tell(purse, prompt, brief, fault, usage, began, is_guarded=is_guarded)
        return Thought(value, fault, usage)

    async def _once(
        self,
        purse: Purse,
        prompt: Prompt,
        text: str,
        form: type[T],
        unfit: Callable[[T], str | None],
    ) -> tuple[T | None, ModelFault | None, str | None, Usage]:
        """Value or fault, why it is worth asking again, and the cost."""
        if purse.away is not None:
            return None, purse.away, None, Usage()
        call = self._call(purse, prompt, text, form)
        if call is None:
            return None, ModelFault.SPENT, None, Usage()
        try:
            async with asyncio.timeout(call.seconds):
                answer = await self.model.ask(call)
        except TimeoutError:
            return None, ModelFault.TIMED_OUT, None, Usage()
        except ModelFailed as failed:
            why = _TRUNCATED if failed.fault is ModelFault.TRUNCATED else _NO_OBJECT
            again = why if failed.fault in _REPAIRED else None
            return None, failed.fault, again, failed.usage
        try:
            value = form.model_validate(answer.data)
        except ValidationError as error:
            return None, ModelFault.UNUSABLE, _complaint(error), answer.usage
        complaint = unfit(value)
        if complaint is not None:
            return None, ModelFault.UNUSABLE, complaint, answer.usage
        return value, None, None, answer.usage

    def _call(self, purse: Purse, prompt: Prompt, text: str, form: type[Shape]) -> ModelCall | None:
        """The call, or None when time or tokens do not reach for it."""
        schema = form.model_json_schema()
        size = len(prompt.text) + len(text) + len(str(schema))
        room = self.budget - purse.tokens - size // _CHARACTERS_PER_TOKEN
        seconds = min(self.seconds, purse.time_left())
        if room < _LEAST_TOKENS or seconds < _LEAST_SECONDS:
            return None
        return ModelCall(
            role=prompt.role,
            system=prompt.text,
            user=text,
            schema=schema,
            max_tokens=min(prompt.max_tokens, room),
            seconds=seconds,
        )

    def _tell(
        self,
        purse: Purse,
        prompt: Prompt,
        brief: Brief,
        fault: ModelFault | None,
        usage: Usage,
        began: float,
        *,
        is_guarded: bool,
    ) -> None:
        told = ModelTold(
            role=prompt.role,
            prompt=prompt.version,
            fault=fault,
            usage=usage,
            latency_ms=round((purse.clock.monotonic() - began) * 1000),
            forged=max(0, brief.forged - purse.forged),
            is_guarded=is_guarded,
        )
        purse.forged = max(purse.forged, brief.forged)  # the same results are shown again and again
        get_stream_writer()(told)


def _complaint(error: ValidationError) -> str:
    """What is wrong with an answer, in our words alone."""
    fields = {".".join(map(str, one["loc"])) or "the object" for one in error.errors()}
    return f"wrong or missing: {', '.join(sorted(fields))[:200]}"
