"""The nodes with one skill each: asking, proposing, grading, writing.

Each asks the model, if there is one, and goes by rules where that gives nothing usable. Effects on
the world are not here: a confirmed draft becomes a ticket in the transaction that accepts the
confirm.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from backend.app.core.errors import Unavailable
from backend.app.domain.budgets import Wish
from backend.app.domain.language_models import ModelFault, ModelRole
from backend.app.domain.placeholders import Placeholders
from backend.app.domain.sessions import Category, Classification, Impact, Severity, TicketDraft
from backend.app.services.helpdesk import drafting
from backend.app.services.helpdesk.clarifying import ClarifyingQuestion
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.filing import as_filed
from backend.app.services.helpdesk.grounding import cited, invented, leads_elsewhere
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk.quoting import inline
from backend.app.services.helpdesk.replies import PROPOSAL_CHOICES
from backend.app.services.helpdesk.sanitising import sanitise
from backend.app.services.helpdesk_graph import shapes
from backend.app.services.helpdesk_graph.briefing import told_in
from backend.app.services.helpdesk_graph.matter import (
    additions,
    classification_of,
    draft_of,
    matter_of,
)
from backend.app.services.helpdesk_graph.nodes.knowing import (
    next_proposal,
    next_question_of,
    open_keys,
    open_proposals,
    said,
)
from backend.app.services.helpdesk_graph.nodes.steps import Node, RunContext, Update, tell_done
from backend.app.services.helpdesk_graph.prompts import CLARIFIER, CLASSIFIER, PROPOSER, WRITER
from backend.app.services.helpdesk_graph.state import AwaitingUserPayload, HelpdeskState
from backend.app.services.helpdesk_graph.thinking import Mind
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool

_write_draft = trace_agent_tool("draft_ticket", run_type="llm")(drafting.write_draft)

#: A question that would have a secret told.
_ASKS_FOR_SECRET = re.compile(
    r"\b(?:your|the|current|exact|ihr|dein|votre|su|tu)\b[^.?!]{0,20}\b(?:pass(?:word|code|phrase)"
    r"|pin|passwort|kennwort|mot de passe|contraseña|card number|cvv|api key|token"
    r"|(?:one-time|security|verification|mfa|2fa|recovery) (?:code|key))\b",
    re.IGNORECASE,
)
_MAX_TITLE_CHARACTERS = 100

#: Grades what was said and answered.
Grading = Callable[[str, Mapping[str, str]], Awaitable[Classification]]
SpecialistNode = Callable[[HelpdeskState], Awaitable[Update]]


_traced_grading = trace_agent_tool("classify", run_type="llm")


async def by_rules(text: str, facts: Mapping[str, str]) -> Classification:
    """The grading that needs nothing."""
    return classify(text, facts)


def _cost(
    state: HelpdeskState, context: RunContext, role: ModelRole, fault: ModelFault | None
) -> Update:
    """What a step that may have asked a model changes beside its result."""
    update: Update = {"tokens": max(state.get("tokens", 0), context.tokens)}
    if fault is not None:
        update["degraded"] = {**state.get("degraded", {}), role.value: fault.value}
    return update


def make_clarifier_node(mind: Mind | None = None) -> Node:
    """Ask for what is most worth knowing. The supervisor is only let here when there is such."""

    async def clarifier(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        question, fault = next_question_of(state), None
        assert question is not None  # `Spent.has_question` says so, and nothing changed since
        if mind is not None and not state["case"]["is_scripted"]:
            better, fault = await _question(state, runtime.context, mind)
            question = better or question
        tell_done(state)
        return {
            **_cost(state, runtime.context, ModelRole.CLARIFIER, fault),
            "questions_asked": [*state.get("questions_asked", []), question.text],
            "question_keys": [*state.get("question_keys", []), question.key],
            "awaiting_user": AwaitingUserPayload(
                text=question.text,
                choices=list(question.choices),
                key=question.key,
                number=len(state.get("questions_asked", [])) + 1,
            ),
        }

    return clarifier


async def _question(
    state: HelpdeskState, context: RunContext, mind: Mind
) -> tuple[ClarifyingQuestion | None, ModelFault | None]:
    keys = open_keys(state)
    before = {_folded(one) for one in state.get("questions_asked", [])}

    def unfit(asked: shapes.Asked) -> str | None:
        text = _folded(asked.question)
        if len(text) < 3 or text in before:
            return "the question is empty or was asked before"
        if leads_elsewhere(asked.question):
            return "it holds a link or an address"
        return "it asks for a secret" if _ASKS_FOR_SECRET.search(asked.question) else None

    brief = mind.briefing().asking(state, keys)
    thought = await mind.think(context, CLARIFIER, brief, shapes.asked_among(keys), unfit)
    asked = thought.value
    if asked is None:
        return None, thought.fault
    lines = [shapes.line(one, shapes.MAX_CHOICE_CHARACTERS) for one in asked.choices]
    plain = dict.fromkeys(one for one in lines if one and not leads_elsewhere(one))
    choices = tuple(plain)[: shapes.MAX_CHOICES]
    text = sanitise(inline(shapes.line(asked.question, shapes.MAX_QUESTION_CHARACTERS)))
    return ClarifyingQuestion(asked.key, text, choices), None


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def make_propose_solution_node(mind: Mind | None = None) -> Node:
    """Offer the best fix that was found and not offered yet."""

    async def propose_solution(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        proposal, text, fault = next_proposal(state), None, None
        assert proposal is not None  # `Spent.has_proposal` says so, and nothing changed since
        if mind is not None:
            found, text, fault = await _solution(state, runtime.context, mind)
            proposal = found or proposal
        tell_done(state)
        title = proposal["title"]
        solutions = state.get("solutions", {})
        return {
            **_cost(state, runtime.context, ModelRole.PROPOSER, fault),
            "proposed_solutions": [*state.get("proposed_solutions", []), title],
            "solutions": solutions if text is None else {**solutions, title: text},
            "awaiting_user": AwaitingUserPayload(
                text=title, choices=list(PROPOSAL_CHOICES), key=None, number=None
            ),
        }

    return propose_solution


async def _solution(
    state: HelpdeskState, context: RunContext, mind: Mind
) -> tuple[Mapping[str, Any] | None, str | None, ModelFault | None]:
    """The article that fits best, and what it says as the model puts it."""
    articles = {str(number): one for number, one in enumerate(open_proposals(state), 1)}

    def unfit(solved: shapes.Solved) -> str | None:
        if not solved.steps.strip():
            return "there are no steps"
        article = articles[solved.article]
        material = f"{article['title']}\n{article['text']}"
        strange = invented(solved.steps, material)
        return "the article does not hold all that the steps name" if strange else None

    brief = mind.briefing().proposing(state, list(articles.values()))
    form = shapes.solved_among(list(articles))
    thought = await mind.think(context, PROPOSER, brief, form, unfit)
    if thought.value is None:
        return None, None, thought.fault
    article = articles[thought.value.article]
    steps = shapes.block(thought.value.steps, shapes.MAX_SOLUTION_CHARACTERS)
    return article, sanitise(cited(steps, len(article["sources"]))), None


def make_classifier_node(grading: Grading, mind: Mind | None = None) -> Node:
    """Grade the matter."""

    grade = _traced_grading(grading)

    async def classifier(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        graded, fault = await grade(said(state), state.get("facts", {})), None
        if mind is not None and not state["case"]["is_scripted"]:
            brief = mind.briefing().grading(state)
            thought = await mind.think(runtime.context, CLASSIFIER, brief, shapes.Graded)
            fault = thought.fault
            graded = graded if thought.value is None else _graded(thought.value)
        tell_done(state)
        return {
            **_cost(state, runtime.context, ModelRole.CLASSIFIER, fault),
            "classification": {
                "severity": graded.severity.value,
                "impact": graded.impact.value,
                "category": graded.category.value,
            },
        }

    return classifier


def _graded(told: shapes.Graded) -> Classification:
    return Classification(Severity(told.severity), Impact(told.impact), Category(told.category))


def make_writer_node(leaving: Leaving, grading: Grading, mind: Mind | None = None) -> Node:
    """Write the ticket's draft from all that is known, without what must not leave the house, and
    how it would be filed.
    """

    grade = _traced_grading(grading)

    async def writer(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        graded: Classification = (
            classification_of(state)
            if "classification" in state and not additions(state)
            else await grade(said(state), state.get("facts", {}))
        )
        draft, fault = _write_draft(matter_of(state, graded)), None
        if mind is not None and not state["case"]["is_scripted"]:
            written, fault = await _written(state, runtime.context, mind)
            if written is not None:
                draft = drafting.with_summary(draft, written.title, written.summary)
        case, known = state["case"], Placeholders.of_session(state.get("placeholders", {}))
        preview = as_filed(
            await _without_names(leaving, draft, known),
            session_id=case["session_id"],
            chat_session_hash=case["chat_hash"],
            max_characters=leaving.body_characters,
            stays_here=leaving.stays_here,
        )
        tell_done(state)
        update = {
            **_cost(state, runtime.context, ModelRole.WRITER, fault),
            "draft": draft_of(preview.draft),
            "body_preview": [preview.body],
            "draft_digest": preview.digest,
            "placeholders": known.kept(),
            "wish": Wish.GO_ON.value,
        }
        if not state["step"]["is_decided"] and fault is None:  # a redraft: no step before it
            update["degraded"] = {}
        return update

    return writer


async def _written(
    state: HelpdeskState, context: RunContext, mind: Mind
) -> tuple[shapes.Written | None, ModelFault | None]:
    brief = mind.briefing().writing(state)

    def unfit(written: shapes.Written) -> str | None:
        if not written.title.strip() or not written.summary.strip():
            return "title or summary is empty"
        strange = invented(f"{written.title}\n{written.summary}", f"{told_in(state)}\n{brief.text}")
        return "the material does not hold all that it names" if strange else None

    thought = await mind.think(context, WRITER, brief, shapes.Written, unfit)
    if thought.value is None:
        return None, thought.fault
    title = shapes.line(thought.value.title, _MAX_TITLE_CHARACTERS)
    summary = shapes.block(thought.value.summary, shapes.MAX_SUMMARY_CHARACTERS)
    return shapes.Written(title=title, summary=summary), None


async def _without_names(leaving: Leaving, draft: TicketDraft, known: Placeholders) -> TicketDraft:
    try:
        return await leaving.draft(draft, known)
    except Unavailable:
        # Shown to its own person it may be; the confirm looks for names again before it files.
        return draft
