"""The next question to ask: about what is still unknown, and only where the answer would help."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backend.app.core.text import shorten
from backend.app.domain.sessions import Category
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.facts import MAX_FACT_CHARACTERS, facts_from
from backend.app.services.helpdesk.signs import Kind, kind_of, words

__all__ = [
    "NOT_KNOWN",
    "ClarifyingQuestion",
    "fact_from_reply",
    "facts_from",
    "is_not_known",
    "next_question",
]

#: The fact of an answer that gives none, so that the question is not asked again.
NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True)
class ClarifyingQuestion:
    """A question with short choices; free text is always possible. ``key`` names the fact."""

    key: str
    text: str
    choices: tuple[str, ...]


IMPACT = ClarifyingQuestion(
    "impact", "Is this affecting only you or your team?", ("Only me", "My team", "Everyone")
)
_ERROR = ClarifyingQuestion(
    "error", "Do you see an error message or a code? If so, what does it say?", ("No message",)
)
_PRODUCT = ClarifyingQuestion("product", "Which application or device is this about?", ())
_SINCE = ClarifyingQuestion(
    "since",
    "Since when does this happen, and did anything change before it began?",
    ("Since today", "For some days", "After an update", "It never worked"),
)
_SEEN = ClarifyingQuestion(
    "since",
    "When was it last there, and what was done in between?",
    ("Earlier today", "Some days ago", "Before an update"),
)
_SYSTEM = ClarifyingQuestion(
    "system",
    "Which system do you use it on?",
    ("Windows", "macOS", "Linux", "Android", "iPhone or iPad"),
)
_TRIED = ClarifyingQuestion(
    "tried", "What have you tried so far?", ("Nothing yet", "Restarted it", "Reinstalled it")
)
_EXPECTED = ClarifyingQuestion("expected", "What happens, and what did you expect instead?", ())
_GOAL = ClarifyingQuestion("goal", "What would you like to reach in the end?", ())
_PURPOSE = ClarifyingQuestion("purpose", "Who needs it, and what for?", ())

#: Fewer words than this tell hardly anything by themselves.
_FEW_WORDS = 5
_SOME_WORDS = 40
#: A text this long has told what happens even where no error is quoted.
_MANY_WORDS = 120
_OWN_THING = words(
    r"my (?:own )?(?:\w+ )?(?:laptop|notebook|computer|pc|phone|iphone|ipad|tablet|mouse|keyboard"
    r"|monitor|screen|headset|battery|charger|webcam|camera|dock|touchpad)",
    r"at home", r"home (?:computer|pc|network|wifi)",
    r"mein(?:e|en|em)? (?:\w+ )?(?:laptop|rechner|handy|maus|tastatur|bildschirm)",
    r"mon (?:ordinateur|pc|téléphone|écran|clavier)",
    r"mi (?:portátil|ordenador|teléfono|pantalla|teclado)",
)  # fmt: skip
_OPERATION = (
    r"(?:connect|send|receive|log|sign|open|install|update|upgrade|download|upload|import|export"
    r"|print|access|load"
    r"|sync|start|launch|save|set up|add|create|delete|reach|join|share|book|edit|attach|use)"
)
_SHOWS_ERROR = words(
    "errors?", "crash(?:es|ed|ing)?", "fail(?:s|ed|ing|ure)?", "refuse[sd]?", "denied",
    "reject(?:s|ed)", "invalid", "timed? ?out", "blocked",
    rf"(?:cannot|can not|can'?t|can’t|couldn'?t|unable to|not able to"
    rf"|refuses to) (?:\w+ )?{_OPERATION}",
    r"(?:not|does ?n'?t|do ?n'?t|is ?n'?t|wo ?n'?t|never|stopped|no longer"
    r"|stops) (?:\w+ )?(?:connect|send|receiv|log|sign|open|install|updat|upgrad|download|upload"
    r"|import|export|print|load|sync|start|launch|sav|work|respond|accept)\w*",
    "login", "log ?in", "passwords?", "connection", "server", r"fehler\w*", "nicht", "anmelden",
    "erreur", r"ne \w+ (?:pas|plus)", "impossible", "no (?:puedo|funciona|puede|abre)", "falla",
)  # fmt: skip

_DOES_NOT_KNOW = words(
    r"(?:i )?(?:do ?n[o']?t|don’t) (?:know|remember|recall)", "dunno", "no idea", "not sure",
    "unsure", "unknown", "no clue", "idk", "can'?t (?:say|tell|remember)", "n/a",
    "weiß (?:ich )?(?:es )?nicht", "weiss (?:ich )?(?:es )?nicht", "keine ahnung", "nicht sicher",
    "unbekannt", "(?:je )?(?:ne )?sais pas", "aucune idée", "pas sûre?", "no (?:lo )?sé", "ni idea",
    "no estoy segur[oa]",
)  # fmt: skip
_MAX_NOT_KNOWN_WORDS = 8


def is_not_known(reply: str) -> bool:
    """Whether a reply says that the person does not know."""
    return len(reply.split()) <= _MAX_NOT_KNOWN_WORDS and _DOES_NOT_KNOW.search(reply) is not None


@dataclass(frozen=True, slots=True)
class _Matter:
    """What the questions are chosen by."""

    text: str
    kind: Kind
    category: Category

    @property
    def length(self) -> int:
        return len(self.text.split())

    @property
    def may_be_shared(self) -> bool:
        """Whether others could have it too."""
        is_often_own = self.category in {Category.HARDWARE, Category.OTHER}
        return not is_often_own or _OWN_THING.search(self.text) is None

    @property
    def may_show_error(self) -> bool:
        """Whether an error message is likely and not yet told at length."""
        is_likely = self.category is not Category.HARDWARE and _SHOWS_ERROR.search(self.text)
        return bool(is_likely) and self.length < _MANY_WORDS

    @property
    def depends_on_system(self) -> bool:
        return self.category in {Category.SOFTWARE, Category.EMAIL, Category.HARDWARE}


_Wanted = tuple[ClarifyingQuestion, Callable[[_Matter], bool]]


def _always(_: _Matter) -> bool:
    return True


_PLANS: dict[Kind, tuple[_Wanted, ...]] = {
    Kind.FAILURE: (
        (_ERROR, lambda matter: matter.may_show_error),
        (_EXPECTED, lambda matter: matter.length < _SOME_WORDS and not matter.may_show_error),
        (IMPACT, lambda matter: matter.may_be_shared),
        (_PRODUCT, _always),
        (_SINCE, _always),
        (_SYSTEM, lambda matter: matter.depends_on_system),
        (_TRIED, _always),
    ),
    Kind.LOSS: (
        (_SEEN, _always),
        (_PRODUCT, _always),
        (IMPACT, lambda matter: matter.category in {Category.DATA, Category.NETWORK}),
        (_TRIED, _always),
    ),
    Kind.REQUEST: (
        (_PRODUCT, lambda matter: matter.category is not Category.HARDWARE),
        (_PURPOSE, _always),
    ),
    Kind.HOW_TO: (
        (_GOAL, lambda matter: matter.length < _FEW_WORDS),
        (_PRODUCT, lambda matter: matter.length < _MANY_WORDS),
    ),
    Kind.UNCLEAR: (
        (_EXPECTED, lambda matter: matter.length < _MANY_WORDS),
        (_PRODUCT, _always),
        (IMPACT, lambda matter: matter.length < _MANY_WORDS),
    ),
}  # fmt: skip


def next_question(
    text: str, facts: Mapping[str, str], asked: Sequence[str]
) -> ClarifyingQuestion | None:
    """The most telling question that is still open; None when none would help."""
    matter = _Matter(text, kind_of(text), classify(text, facts).category)
    known = {**facts_from(text), **facts}
    for question, fits in _PLANS[matter.kind]:
        if question.key not in known and question.key not in asked and fits(matter):
            return question
    return None


def fact_from_reply(key: str, reply: str, choice: str | None) -> dict[str, str]:
    """What the answer to the question ``key`` adds to the facts."""
    said = (choice or "").strip() or reply.strip()
    if not said or is_not_known(said):
        return {key: NOT_KNOWN}
    told = facts_from(reply)
    return {
        **told,
        key: told[key] if key in told and key != "impact" else shorten(said, MAX_FACT_CHARACTERS),
    }
