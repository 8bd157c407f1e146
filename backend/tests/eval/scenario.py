"""A scenario file: what is given, what the person does, and what must come of it.

Unknown keys, repeated keys and an id that is not the file's name are errors; `README.md` beside the
files says what each key means.
"""

from collections.abc import Hashable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.app.domain.principals import Role
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import (
    Category,
    Impact,
    NextAction,
    Outcome,
    Severity,
    StepStatus,
    TurnKind,
)
from backend.app.services.helpdesk.flags import Flag

FOLDER = Path(__file__).parent / "scenarios"


class Family(StrEnum):
    """What a scenario is about; each family has some."""

    RESOLVE = "resolve"
    ASKING = "asking"
    DUPLICATES = "duplicates"
    BUDGETS = "budgets"
    TOOL_FAILURES = "tool_failures"
    INJECTION = "injection"
    REJECTIONS = "rejections"
    ABORTS = "aborts"
    LANGUAGES = "languages"
    WORDINGS = "wordings"
    REPEATS = "repeats"
    SWITCHES = "switches"
    EDITS = "edits"
    PATHS = "paths"


class Tool(StrEnum):
    """The agent's tools under their names."""

    RETRY_KB = "retry_kb"
    WEB_SEARCH = "web_search"
    SEARCH_EXISTING_ISSUES = "search_existing_issues"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Strict):
    """A message of the conversation; ``times`` repeats its content, for long ones."""

    role: Literal["user", "assistant"]
    content: str
    times: Annotated[int, Field(ge=1, le=400)] = 1

    @property
    def text(self) -> str:
        """The whole content."""
        return " ".join([self.content.strip()] * self.times)


class Article(_Strict):
    """An article that the real library holds."""

    title: str
    body: str
    questions: tuple[str, ...] = ()


class Page(_Strict):
    """A page that the web search gives; ``times`` repeats its snippet."""

    title: str
    snippet: str
    url: str = "https://example.invalid/page"
    times: Annotated[int, Field(ge=1, le=100_000)] = 1


class Issue(_Strict):
    """A ticket. ``odds`` is what a stand-in search says; ``of`` whose it is."""

    number: int
    title: str
    state: Literal["open", "new", "in_progress", "resolved", "closed", "cancelled"] = "open"
    body: str = ""
    odds: float = 0.9
    of: Literal["requester", "stranger"] = "requester"

    @property
    def status(self) -> str:
        """The state in the desk's words."""
        return "new" if self.state == "open" else self.state


class Fault(_Strict):
    """How a tool fails: it says so, it takes too long, it never answers, or it breaks."""

    fault: Literal["failed", "timed_out", "hangs", "broken"]


class ToolResults(_Strict):
    """Results or faults by tool; a tool that is not named is the real one."""

    retry_kb: tuple[Article, ...] | Fault | None = None
    web_search: tuple[Page, ...] | Fault | Literal["demo"] | None = None
    search_existing_issues: tuple[Issue, ...] | Fault | None = None


class Script(_Strict):
    """What a decider chooses, in order, whenever it has a choice."""

    supervisor_decisions: tuple[NextAction, ...]


class Budgets(_Strict):
    """Limits that differ from the settings' defaults."""

    max_turns: int | None = None
    max_questions: int | None = None
    max_tool_retries: int | None = None
    max_tokens_per_session: int | None = None
    deadline_seconds: float | None = None


class Edit(_Strict):
    """Parts of the draft that its person rewrites."""

    title: str | None = None
    description: str | None = None
    severity: Severity | None = None
    impact: Impact | None = None
    category: Category | None = None


class Doing(_Strict):
    """One thing that somebody does; exactly one key."""

    reply: str | None = None
    choice: str | None = None
    edit: Edit | None = None
    link: int | None = None
    switch_on: Flag | None = None
    switch_off: Flag | None = None
    stranger: Literal["reply", "confirm", "abort", "read"] | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Doing":
        if len(self.model_fields_set) != 1:
            raise ValueError("one thing at a time")
        return self


Plain = Literal[
    "go_on", "confirm", "confirm_unseen", "abort", "repeat", "start_again", "reload", "second_start"
]


class Given(_Strict):
    """What there is, and what the person does."""

    conversation: tuple[Said, ...]
    role: Role = Role.REQUESTER
    in_chat: bool = False
    mock_provider_script: Script | None = None
    mock_tool_results: ToolResults = ToolResults()
    tickets: tuple[Issue, ...] = ()
    budgets: Budgets = Budgets()
    switched_off: tuple[Flag, ...] = ()
    secrets: tuple[str, ...] = ()
    while_searching: Literal["abort", "kill_switch"] | None = None
    then: tuple[Plain | Doing, ...] = ("go_on",)


class Never(_Strict):
    """Something that must not be; exactly one key."""

    action: NextAction | None = None
    tool: Tool | None = None
    kind: TurnKind | None = None
    text: str | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Never":
        if len(self.model_fields_set) != 1:
            raise ValueError("one thing at a time")
        return self


Words = str | tuple[str, ...]


class Expect(_Strict):
    """What must come of it; a key that is left out is not looked at."""

    final_kind: TurnKind
    outcome: Outcome | None = None
    reason: AbortReason | None = None
    questions_asked: int | None = None
    proposals_made: int | None = None
    asked: tuple[str, ...] | None = None
    tools_invoked: tuple[Tool, ...] | None = None
    tool_results: tuple[StepStatus, ...] | None = None
    steps: tuple[NextAction, ...] | None = None
    decisions_refused: int | None = None
    duplicate_candidates_count: int | None = None
    candidates: tuple[int, ...] | None = None
    draft_title_contains: Words | None = None
    draft_body_contains: Words | None = None
    draft_body_lacks: Words | None = None
    severity: Severity | None = None
    impact: Impact | None = None
    category: Category | None = None
    message_contains: Words | None = None
    tickets_filed: int | None = None
    ticket_title_contains: Words | None = None
    ticket_body_contains: Words | None = None
    ticket_body_lacks: Words | None = None
    linked_to: int | None = None
    refused: tuple[tuple[int, str], ...] = ()
    never: tuple[Literal["ticket", "link"] | Never, ...] = ()


class Scenario(_Strict):
    """One scenario."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
    family: Family
    description: str
    given: Given
    expect: Expect


class _OneKeyOnce(yaml.SafeLoader):
    """A loader that takes no mapping in which a key stands twice: the first would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if repeated := {key for key in keys if keys.count(key) > 1}:
            raise yaml.YAMLError(f"repeated: {sorted(map(str, repeated))}")
        return super().construct_mapping(node, deep)


def read(path: Path) -> Scenario:
    """The scenario of one file.

    Raises:
        ValueError, yaml.YAMLError: it is none.
    """
    raw = yaml.load(path.read_text("utf-8"), Loader=_OneKeyOnce)
    found = Scenario.model_validate(raw)
    if found.id != path.stem:
        raise ValueError(f"{path.name} holds the scenario {found.id}")
    return found


def every(folder: Path = FOLDER) -> list[Scenario]:
    """All scenarios of a folder, in the order of their names.

    Raises:
        ValueError, yaml.YAMLError: one of them is none, or there are none.
    """
    found = [read(path) for path in sorted(folder.glob("*.y*ml"))]
    if not found:
        raise ValueError(f"no scenarios in {folder}")
    return found
