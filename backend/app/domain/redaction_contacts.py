"""How a person or a machine is reached: e-mail, telephone, network and hardware addresses.

Inside the house they are what a helpdesk works with; they are taken out where a text leaves it. A
telephone number is no more than digits, so one is believed by its form and its country's plan, or
by the word before it; a version, a date or a ticket's number is none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

import phonenumbers


class Contact(StrEnum):
    """What kind of address something is; the value stands in its placeholder."""

    EMAIL = "EMAIL"
    PHONE = "PHONE"
    NETWORK = "IP"
    HARDWARE = "MAC"


@dataclass(frozen=True, slots=True)
class FoundContact:
    """An address of ``kind`` from ``start`` up to ``end``."""

    kind: Contact
    start: int
    end: int


_EMAIL = re.compile(
    r"(?<![\w.%+'-])(?!git@)[\w.%+'-]{1,64}@((?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}"
    r"(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24}))(?![\w-])",
    re.IGNORECASE,
)
#: Names that are reserved and nobody's (RFC 2606).
_NOBODYS = re.compile(
    r"(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|invalid|test|localhost)", re.IGNORECASE
)

_MAC = re.compile(
    r"(?<![\w:.-])(?!00[:-]00[:-]00[:-]00[:-]00[:-]00)(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}"
    r"[0-9a-f]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\w:-]|\.\d)",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9a-f.]{0,5}:)[0-9a-f:.]{2,45}(?![\w:])", re.IGNORECASE)
_OF_A_VERSION = re.compile(
    r"(?:\bv|version|build|release|firmware|driver|bios|thunderbird|firefox|chrome)[\W_]{0,4}\Z",
    re.IGNORECASE,
)

_PHONE = re.compile(
    r"(?<![\w./:#=$€£@%_-])(?<!\d,)(?:\+|\(\+?|(?=\d))\d(?:[ \u00a0().-]{0,3}\d){6,14}"
    r"(?![\w%@]|[.,:/-]\d)"
    r"|(?<![\w.,/:#=-])0\d{2,5} ?/ ?\d{4,9}(?![\w/.-])"
    r"|(?<=[a-z]{2})\d{3}-\d{3}-\d{4}(?![\w-])"
)
_DATE = re.compile(
    r"(?:19|20)\d\d[ .-]?[01]\d[ .-]?[0-3]\d(?:\D.*)?|[0-3]?\d[.-][0-3]?\d[.-](?:19|20)?\d\d"
    r"(?:\D.*)?"
)
_NORTH_AMERICAN = re.compile(r"(?:1[ .-]?)?(?:\(\d{3}\)[ ]?|\d{3}([ .-]))\d{3}[ .-]\d{4}")
_PAIRS = re.compile(r"0\d(?:([ .-])\d\d)(?:\1\d\d){3}")
_SAID = re.compile(
    r"(?:phone|\bcall(?: me| us)?\b|\btel\b|telefon|téléphone|teléfono|mobile|mobil\b|\bcell"
    r"|\bfax\b|whatsapp|\bdial|\bring\b|\bsms\b|text me|rufnummer|handy"
    r"|reach (?:me|us|him|her|them)|hotline|extension|voicemail|answering at"
    r"|(?<!bug )(?<!ticket )(?<!order )(?<!serial )(?<!part )(?<!case )"
    r"(?<!invoice )(?<!reference )(?<!build )(?<!model )(?<!account )(?<!port )(?<!version )"
    r"(?<!error )(?<!card )(?<!tracking )(?<!license )(?<!licence )(?<!security )"
    r"\bnumber(?:s|(?= ?(?:is|was|:))))(?:[^\n]{0,48}|[ :]{0,3}\n[ ]{0,4})\Z",
    re.IGNORECASE,
)
_SAID_BEHIND = re.compile(r"[ -]\(?(?:office|fax|mobile|phone|cell|home|work)\b", re.IGNORECASE)
_SAID_CHARACTERS = 70
_GROUP = re.compile(r"\d+")
#: Countries whose plans are asked for a number without a country's own code.
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "IL", "JP", "CN", "BR", "IN", "AU", "CH")


@lru_cache(maxsize=4096)
def _is_in_a_plan(number: str, regions: tuple[str | None, ...]) -> bool:
    for region in regions:
        try:
            parsed = phonenumbers.parse(number, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(parsed):
            return True
    return False


@lru_cache(maxsize=4096)
def _is_of_a_country(number: str) -> bool:
    """Whether ``number`` begins with a country's code and is as long as numbers there are."""
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


def _is_phone(written: str, *, is_said: bool) -> bool:
    digits = "".join(filter(str.isdigit, written))
    if not 7 <= len(digits) <= 15 or len(set(digits)) < 3 or _DATE.fullmatch(written.lstrip("(")):
        return False
    if written.lstrip("(").startswith("+"):
        return is_said or "(0)" in written or _is_of_a_country(f"+{digits}")
    if _NORTH_AMERICAN.fullmatch(written):
        return _is_in_a_plan(digits, ("US",)) or is_said
    if _PAIRS.fullmatch(written) and _is_in_a_plan(digits, ("FR",)):
        return True
    is_grouped = "." not in written and not written.strip("()+").isdigit()
    if is_grouped and written[0] in "0(" and _is_in_a_plan(digits, _REGIONS):
        return True
    if not is_said:
        return False
    return is_grouped or _is_in_a_plan(digits, _REGIONS) or _is_in_a_plan(f"+{digits}", (None,))


def _phone_end(found: re.Match[str], *, is_said: bool) -> int:
    """Where the number that begins a row of groups of digits ends; 0 when none does."""
    ends = [group.end() for group in _GROUP.finditer(found[0])]
    for end in reversed(ends):
        if _is_phone(found[0][:end], is_said=is_said):
            return found.start() + end
    return 0


def _phones(text: str) -> Iterator[tuple[int, int]]:
    found = _PHONE.search(text)
    while found is not None:
        before = text[max(0, found.start() - _SAID_CHARACTERS) : found.start()]
        is_said = bool(_SAID.search(before) or _SAID_BEHIND.match(text, found.end()))
        end = _phone_end(found, is_said=is_said)
        if end:
            is_open = found[0].startswith("(") and ")" not in text[found.start() : end]
            yield found.start() + is_open, end
        first = _GROUP.search(found[0])
        at = end or (found.start() + first.end() if first else found.end())
        found = _PHONE.search(text, at)


def _parsed(written: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(written)
    except ValueError:
        return None


def network_addresses(text: str) -> Iterator[tuple[int, int, IPv4Address | IPv6Address]]:
    """The network addresses in ``text`` with where they begin and end."""
    taken = 0
    for found in re.finditer(f"{_IPV6.pattern}|{_IPV4.pattern}", text, re.IGNORECASE):
        written = found[0].rstrip(".")
        if written.endswith(":") and not written.endswith("::"):
            written = written[:-1]
        address = _parsed(written)
        if address is None or found.start() < taken:
            continue
        if address.version == 4 and _OF_A_VERSION.search(text[: found.start()][-16:]):
            continue
        taken = found.start() + len(written)
        yield found.start(), taken, address


def contacts(text: str) -> list[FoundContact]:
    """Whatever in ``text`` tells how somebody is reached, in order, none inside another.

    Of network addresses only those that are reachable from everywhere: an address of the own
    network tells nobody outside a thing, and is what a technician needs.
    """
    found = [
        FoundContact(Contact.EMAIL, *one.span())
        for one in _EMAIL.finditer(text)
        if not _NOBODYS.fullmatch(one[1])
    ]
    found += [FoundContact(Contact.HARDWARE, *one.span()) for one in _MAC.finditer(text)]
    found += [
        FoundContact(Contact.NETWORK, start, end)
        for start, end, address in network_addresses(text)
        if address.is_global
    ]
    found += [FoundContact(Contact.PHONE, *span) for span in _phones(text)]
    kept: list[FoundContact] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
