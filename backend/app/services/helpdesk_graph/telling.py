"""From what nodes tell while they work to the facts of it. ``whose`` is what every fact of the
session carries.
"""

from collections.abc import Mapping
from typing import Any

from backend.app.domain.agent_events import (
    AgentDecided,
    AgentFact,
    AgentInjectionBlocked,
    AgentModelAsked,
    AgentSpecialistRan,
    AgentToolCalled,
)
from backend.app.domain.sessions import TOOL_NAMES, StepStatus
from backend.app.services.helpdesk_graph.nodes.steps import SLOW, SPECIALISTS, StepTold
from backend.app.services.helpdesk_graph.thinking import ModelTold


def facts_of_step(whose: Mapping[str, Any], told: StepTold) -> list[AgentFact]:
    """A decision, a specialist's work, a tool's call, or none of them."""
    facts: list[AgentFact] = []
    if told.is_new:
        facts.append(
            AgentDecided(
                **whose,
                turn=told.seq,
                next_action=told.action,
                tokens_in=told.tokens_in,
                tokens_out=told.tokens_out,
                latency_ms=told.latency_ms,
                prompt=told.prompt,
            )
        )
    if told.is_new and told.action in SPECIALISTS:
        took = told.duration_ms or 0
        facts.append(AgentSpecialistRan(**whose, action=told.action, duration_ms=took))
    if told.action in SLOW and told.status is not StepStatus.RUNNING:
        facts.append(
            AgentToolCalled(
                **whose,
                tool=TOOL_NAMES[told.action],
                outcome=told.status,
                duration_ms=told.duration_ms or 0,
                cause=told.cause,
                is_cached=told.is_cached,
            )
        )
    return facts


def facts_of_model(whose: Mapping[str, Any], told: ModelTold) -> list[AgentFact]:
    """A question to a model, and what of text from outside was stopped on the way."""
    asked = AgentModelAsked(
        **whose,
        role=told.role,
        outcome=told.fault.value if told.fault else "ok",
        prompt=told.prompt,
        tokens_in=told.usage.tokens_in,
        tokens_out=told.usage.tokens_out,
        latency_ms=told.latency_ms,
    )
    reasons = ["marker"] * told.forged + ["answer"] * told.is_guarded
    return [asked, *(AgentInjectionBlocked(**whose, reason=one) for one in reasons)]
