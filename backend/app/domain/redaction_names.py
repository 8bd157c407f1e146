"""Which words of a text name a person or tell where somebody lives, out of a model's scores.

The model knows no capitals and cuts words into pieces, so its word is not taken for the span: names
are whole words, without digits, small letters need more certainty than capitals, and what a
helpdesk talks about all day is no name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class NameKind(StrEnum):
    """What a found name is; the value stands in its placeholder."""

    PERSON = "PERSON"
    ADDRESS = "ADDRESS"


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word from ``start`` up to ``end``, and how likely (0 to 1) it belongs to a person's name,
    to a street with its number, and to a place.
    """

    start: int
    end: int
    person: float
    street: float
    place: float


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name of ``kind`` from ``start`` up to ``end``."""

    kind: NameKind
    start: int
    end: int


WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_CAPITALISED, _IN_SMALL_LETTERS = 0.35, 0.92
#: Beside a name less is enough.
_BESIDE, _STREET, _PLACE = 0.12, 0.5, 0.5
_GAP = re.compile(r"[ \t]|\.[ \t]?|[ \t]?,[ \t]?\n?[ \t]*|[ \t]*\n[ \t]*")
_NAME_GAP = re.compile(r"[ \t\u00a0]|\.[ \t]?")
_PARTICLE_WORDS = """
    van von der den de di da la le du del dos bin ibn al el ter ten zu
"""
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
#: Products, makers, roles and words of the trade that a model takes for names.
_TRADE_WORDS = """
    thunderbird mozilla firefox norton outlook excel word teams sharepoint onedrive exchange
    windows microsoft apple google gmail yahoo android linux ubuntu debian fedora mint mac macos
    ios iphone ipad samsung dell lenovo hp canon epson brother xerox cisco citrix vmware oracle
    sap salesforce jira confluence slack zoom adobe acrobat photoshop chrome edge safari opera
    brave avast kaspersky mcafee bitdefender malwarebytes eset sophos defender comcast xfinity
    verizon aol bigpond outlook.com office azure entra intune bitlocker kerberos ldap imap pop
    pop3 smtp oauth ssl tls vpn dns dhcp ssh jenkins docker kubernetes postgres postgresql mysql
    redis nginx apache tomcat python java ruby perl admin administrator root user guest support
    helpdesk team agent requester operator thanks hello hi hey dear regards cheers sincerely daily
    beta release version error please monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december problem
    severity impact category searched person organisation known did question answer product system
    affected since tried expected goal purpose redacted inbox sent drafts trash junk spam archive
    calendar lightning betterbird evolution eudora seamonkey hamburger spaces cardbook enigmail
    nordvpn proton protonmail paypal amazon ebay facebook twitter
"""
_NO_NAMES = frozenset(_TRADE_WORDS.split())
_NO_STREETS = _NO_NAMES | {"port", "ver", "version", "build", "command", "page", "step", "tb"}


def _is_name_word(text: str, word: ScoredWord, *, at_least: float) -> bool:
    written = text[word.start : word.end]
    plain = re.sub(r"['’]s\Z", "", written).casefold()
    if word.person < at_least or len(written) < 2 or plain in _NO_NAMES:
        return False
    return not any(map(str.isdigit, written))


def _seeds(text: str, words: Sequence[ScoredWord]) -> set[int]:
    found = set()
    for at, word in enumerate(words):
        is_capital = text[word.start].isupper()
        if _is_name_word(text, word, at_least=_CAPITALISED if is_capital else _IN_SMALL_LETTERS):
            found.add(at)
    return found


def _joins(text: str, word: ScoredWord) -> bool:
    written = text[word.start : word.end]
    is_initial = (
        len(written) == 1
        and written.isupper()
        and (written not in "AI" or text[word.end : word.end + 1] == ".")
    )
    return (
        written.casefold() in _PARTICLES
        or is_initial
        or (written[0].isupper() and _is_name_word(text, word, at_least=_BESIDE))
    )


def _are_beside(text: str, left: ScoredWord, right: ScoredWord, gap: re.Pattern[str]) -> bool:
    return gap.fullmatch(text, left.end, right.start) is not None


def _persons(text: str, words: Sequence[ScoredWord]) -> Iterator[FoundName]:
    seeds = _seeds(text, words)
    taken = -1
    for at in sorted(seeds):
        if at <= taken:
            continue
        first = last = at
        while first - 1 > taken and _reaches(text, words, first - 1, first, seeds):
            first -= 1
        while last + 1 < len(words) and _reaches(text, words, last, last + 1, seeds):
            last += 1
        while last > at and text[words[last].start : words[last].end].casefold() in _PARTICLES:
            last -= 1
        while first < at and text[words[first].start : words[first].end] in _PARTICLES:
            first += 1
        taken = last
        yield FoundName(NameKind.PERSON, words[first].start, words[last].end)


def _reaches(
    text: str, words: Sequence[ScoredWord], left: int, right: int, seeds: set[int]
) -> bool:
    if not _are_beside(text, words[left], words[right], _NAME_GAP):
        return False
    return all(at in seeds or _joins(text, words[at]) for at in (left, right))


def _addresses(text: str, words: Sequence[ScoredWord]) -> Iterator[FoundName]:
    """Streets with a number, and what else of an address stands beside them."""
    at = 0
    while at < len(words):
        if words[at].street < _STREET:
            at += 1
            continue
        first = last = at
        while last + 1 < len(words) and _goes_on(text, words[last], words[last + 1]):
            last += 1
        run = words[first : last + 1]
        streets = [word for word in run if word.street >= _STREET]
        written = text[run[0].start : run[-1].end]
        spoken = {text[one.start : one.end].casefold() for one in run}
        has_number = any(map(str.isdigit, written))
        has_word = any(re.search(r"[^\W\d_]{3}", text[one.start : one.end]) for one in streets)
        if has_number and has_word and len(streets) > 1 and not spoken & _NO_STREETS:
            yield FoundName(NameKind.ADDRESS, run[0].start, run[-1].end)
        at = last + 1


def _goes_on(text: str, left: ScoredWord, right: ScoredWord) -> bool:
    is_part = max(right.street, right.place) >= _PLACE or right.street + right.place >= _PLACE
    return is_part and _are_beside(text, left, right, _GAP)


def names_in(text: str, words: Sequence[ScoredWord]) -> list[FoundName]:
    """The persons and addresses in ``text``, in order, none inside another."""
    found = [*_addresses(text, words), *_persons(text, words)]
    kept: list[FoundName] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
