"""What stands in a text instead of a person's name or address, one for each throughout a session.

``[PERSON_1]`` tells a reader that it is one person all along, and not which. The numbers are given
in the order of first mention. What stood there is kept only where the session itself is: it can be
put back for the session's own person, never for what leaves the house.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from backend.app.core.text import clean
from backend.app.domain.redaction import redact
from backend.app.domain.redaction_contacts import contacts
from backend.app.domain.redaction_names import WORD

PLACEHOLDER = re.compile(r"\[(PERSON|ADDRESS|EMAIL|PHONE|IP|MAC)_(\d{1,6})\]")
#: Two do for what people write; each takes out something, so that contrived texts end as well.
_MOST_ROUNDS = 16


def _plain(value: str) -> str:
    return " ".join(value.casefold().split())


@dataclass(frozen=True)
class Placeholders:
    """Which value has which placeholder. Values that differ in case or spacing are one."""

    of: dict[str, str] = field(default_factory=dict, repr=False)  # names are no matter for logs

    @classmethod
    def of_session(cls, kept: Mapping[str, str]) -> "Placeholders":
        """Those of a session, from what `kept` gave."""
        return cls(dict(kept))

    def kept(self) -> dict[str, str]:
        """What to keep with the session: each value and its placeholder."""
        return dict(self.of)

    def make_room(self, texts: Iterable[str]) -> None:
        """Leave the numbers to those placeholders that stand in ``texts`` already."""
        for text in texts:
            for found in PLACEHOLDER.finditer(text):
                self.of.setdefault(found[0], found[0])

    def for_value(self, kind: str, value: str) -> str:
        """The placeholder of ``value``; part of a person's name is that person's."""
        plain = _plain(value)
        known = self.of.get(plain) or self._as_part(kind, plain)
        if known is None:
            numbers = [
                int(found[2])
                for one in self.of.values()
                if (found := PLACEHOLDER.fullmatch(one)) and found[1] == kind
            ]
            known = f"[{kind}_{max(numbers, default=0) + 1}]"
        return self.of.setdefault(plain, known)

    def _as_part(self, kind: str, plain: str) -> str | None:
        if kind != "PERSON":
            return None
        words = set(plain.split())
        return next(
            (
                one
                for value, one in self.of.items()
                if one.startswith("[PERSON_") and words < set(value.split())
            ),
            None,
        )

    def mentions(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where words of a known person's name stand once more, in capitals as names do."""
        words = {
            word
            for value, one in self.of.items()
            if one.startswith("[PERSON_") and not value.startswith("[")
            for word in value.split()
            if len(word) > 2
        }
        if not words:
            return
        for found in WORD.finditer(text):
            word = found[0][:-2] if found[0].endswith(("'s", "’s")) else found[0]
            if word[0].isupper() and word.casefold() in words:
                yield found.start(), found.start() + len(word), "PERSON"

    def restored(self, text: str) -> str:
        """``text`` with what the placeholders stand for, for the session's own person only."""
        values = {one: value for value, one in reversed(self.of.items())}
        return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), text)


def replaced(text: str, spans: Iterable[tuple[int, int, str]], known: Placeholders) -> str:
    """``text`` with a placeholder at each span ``(start, end, kind)``; none inside a placeholder,
    and of overlapping spans the first and longest.
    """
    taken = [found.span() for found in PLACEHOLDER.finditer(text)]
    taken += [found.span() for found in re.finditer(r"\[redacted: [a-zA-Z ]{3,22}\]", text)]
    parts, at = [], 0
    for start, end, kind in sorted(spans, key=lambda each: (each[0], -each[1])):
        if start < at or any(start < stop and begin < end for begin, stop in taken):
            continue
        parts += [text[at:start], known.for_value(kind, text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def without_contacts(text: str, known: Placeholders) -> str:
    """``text`` with placeholders for how people and machines are reached."""
    return replaced(text, [(one.start, one.end, one.kind.value) for one in contacts(text)], known)


def by_rules(text: str, known: Placeholders) -> str:
    """``text`` without secrets and without how people and machines are reached, as far as rules
    tell. It is looked through until nothing more is found, for what is taken out can stand in
    another's way; doing it twice changes nothing.
    """
    left = text
    for _ in range(_MOST_ROUNDS):
        before, left = left, without_contacts(clean(redact(left).text), known)
        if left == before:
            break
    return left
