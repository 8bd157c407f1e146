"""What stands in a text instead of a person's name or address, one for each throughout a session.

``[PERSON_1]`` tells a reader that it is one person all along, and not which. The numbers are given
in the order of first mention. What stood there is kept only where the session itself is: it can be
put back for the session's own person, never for what leaves the house.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from backend.app.domain.redaction_contacts import contacts

PLACEHOLDER = re.compile(r"\[(PERSON|ADDRESS|EMAIL|PHONE|IP|MAC)_(\d{1,6})\]")


def _plain(value: str) -> str:
    return " ".join(value.casefold().split())


@dataclass(frozen=True)
class Placeholders:
    """Which value has which placeholder. Values that differ in case or spacing are one."""

    of: dict[str, str] = field(default_factory=dict)

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

    def restored(self, text: str) -> str:
        """``text`` with what the placeholders stand for, for the session's own person only."""
        values = {one: value for value, one in reversed(self.of.items())}
        return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), text)


def replaced(text: str, spans: Iterable[tuple[int, int, str]], known: Placeholders) -> str:
    """``text`` with a placeholder at each span ``(start, end, kind)``; none inside a placeholder,
    and of overlapping spans the first.
    """
    taken = [found.span() for found in PLACEHOLDER.finditer(text)]
    taken += [found.span() for found in re.finditer(r"\[redacted: [a-zA-Z ]{3,22}\]", text)]
    parts, at = [], 0
    for start, end, kind in sorted(spans):
        if start < at or any(start < stop and begin < end for begin, stop in taken):
            continue
        parts += [text[at:start], known.for_value(kind, text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def without_contacts(text: str, known: Placeholders) -> str:
    """``text`` with placeholders for how people and machines are reached."""
    return replaced(text, [(one.start, one.end, one.kind.value) for one in contacts(text)], known)
