"""Numbers that tell who pays or who someone is, known by their check digits."""

import re
from collections.abc import Iterator

#: However a card's digits are grouped, when nothing but they stand there.
_CARD_ALONE = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-])")
_DIGITS = re.compile(r"\d+")
_BETWEEN_GROUPS = re.compile(
    r"[ \t\u00a0\u2007\u2009\u202f]{1,2}|[ \u00a0]?[.\u2010\u2011\u2013-][ \u00a0]?"
    r"|[ \t]{0,2}[.\u2010\u2011\u2013-]?\n[ \t]{0,4}(?:>[ ]?){0,3}"
)
#: How long the groups of a card's number are when it is written in several, the longest first.
_CARD_GROUPS = (
    (4, 4, 4, 4, 3),
    (4, 4, 4, 4),
    (8, 8),
    (12, 4),
    (4, 12),
    (4, 6, 5),
    (4, 4, 4, 3),
    (4, 6, 4),
    (4, 4, 4, 2),
    (4, 4, 4, 1),
)
_CARD_LENGTHS = range(13, 20)
#: A word may be glued to a card's number; a part of an identifier is no word.
_GLUED_WORD_BEFORE = re.compile(r"(?<![\w-])(?=[^\W\d_]*[^\W\d_a-fA-F])[^\W\d_]{2,16}[:=#]?\Z")
_GLUED_WORD_BEHIND = re.compile(r"(?=[^\W\d_]*[^\W\d_a-fA-F])[^\W\d_]{2,16}(?![\w-])")
_GLUED_BEFORE = re.compile(r"(?:[\w+]|[^\W\d][.-])\Z")
_GLUED_BEHIND = re.compile(r"\w|-[^\W\d]")
_IS_FRACTION = re.compile(r"\d\.\Z")
_CARD_KINDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|(?:6011|65\d\d|64[4-9]\d)\d{12}|(?:30[0-5]|36\d|38\d)\d{11}|35(?:2[89]"
    r"|[3-8]\d)\d{12}|(?:50|5[6-8]|6\d)\d{14}"
)
#: Kinds of many lengths, known only where the digits are grouped as on a card: a telephone number
#: and a date behind it are as long.
_CARD_KINDS_OF_ANY_LENGTH = re.compile(
    r"62\d{15,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{9,15}"
)
#: Where a card is spoken of, whoever issued it.
_CARD_SAID = re.compile(
    r"\b(?:cards?|cc|karte|carte|tarjeta)\b[^\n\d]{0,40}(?<![\w.+-])(\d(?:[ -]?\d){11,18})"
    r"(?![\w-])",
    re.IGNORECASE,
)
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])")
SOCIAL_SECURITY = re.compile(
    r"(?<!\w)(?<!\w-)(?<!no )(?<!no\. )(?<!number )(?<!part )(?<!order )(?<!ticket )"
    r"(?<![.])(?!000|666|9\d\d)\d{3}([-.])(?!00)\d\d\1(?!0000)\d{4}(?!\w|[-.]\w)"
)
SOCIAL_SECURITY_SAID = re.compile(
    r"((?:\b|(?<=\d))(?:SSN|social security(?: number)?)[ \t]*(?:is|:|=|#)?[ \t]*)"
    r"(\d{3} ?\d{2} ?\d{4})(?!\d)",
    re.IGNORECASE,
)

#: How many characters an account number of each country has.
_IBAN_LENGTHS = {
    code: int(length)
    for code, length in (
        pair.split(":")
        for pair in [
            "AD:24",
            "AE:23",
            "AL:28",
            "AT:20",
            "AZ:28",
            "BA:20",
            "BE:16",
            "BG:22",
            "BH:22",
            "BR:29",
            "BY:28",
            "CH:21",
            "CR:22",
            "CY:28",
            "CZ:24",
            "DE:22",
            "DK:18",
            "DO:28",
            "EE:20",
            "EG:29",
            "ES:24",
            "FI:18",
            "FO:18",
            "FR:27",
            "GB:22",
            "GE:22",
            "GI:23",
            "GL:18",
            "GR:27",
            "GT:28",
            "HR:21",
            "HU:28",
            "IE:22",
            "IL:23",
            "IQ:23",
            "IS:26",
            "IT:27",
            "JO:30",
            "KW:30",
            "KZ:20",
            "LB:28",
            "LC:32",
            "LI:21",
            "LT:20",
            "LU:20",
            "LV:21",
            "MC:27",
            "MD:24",
            "ME:22",
            "MK:19",
            "MR:27",
            "MT:31",
            "MU:30",
            "NL:18",
            "NO:15",
            "PK:24",
            "PL:28",
            "PS:29",
            "PT:25",
            "QA:29",
            "RO:24",
            "RS:22",
            "SA:24",
            "SC:31",
            "SE:24",
            "SI:19",
            "SK:24",
            "SM:27",
            "ST:25",
            "SV:28",
            "TL:23",
            "TN:24",
            "TR:26",
            "UA:29",
            "VA:22",
            "VG:24",
            "XK:20",
        ]
    )
}


def _is_luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_iban(compact: str) -> bool:
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def _iban_end(text: str, start: int) -> int | None:
    """Where the account number that begins at ``start`` ends; None when it is none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper())
    if length is None:
        return None
    compact, at = "", start
    while at < len(text) and len(compact) < length:
        character = text[at]
        if character.isascii() and character.isalnum():
            compact += character
        elif character not in " -" or text[at - 1] in " -":
            return None
        at += 1
    is_whole = len(compact) == length and not text[at : at + 1].isalnum()
    is_one_case = compact in {compact.upper(), compact.lower()}
    return at if is_whole and is_one_case and _is_iban(compact.upper()) else None


def _is_card(written: str, *kinds: re.Pattern[str]) -> bool:
    digits = "".join(str(int(character)) for character in written if character.isdecimal())
    return any(kind.fullmatch(digits) for kind in kinds) and _is_luhn(digits)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what stands from ``start`` to ``end`` is no part of a word or an identifier."""
    before = text[max(start - 20, 0) : start]
    return (
        _GLUED_BEFORE.search(before[-2:]) is None or _GLUED_WORD_BEFORE.search(before) is not None
    ) and (
        _GLUED_BEHIND.match(text, end) is None or _GLUED_WORD_BEHIND.match(text, end) is not None
    )


def _groups_of_digits(text: str) -> Iterator[list[tuple[int, int]]]:
    """Each group of digits in ``text`` with those that follow it, as many as a card can have."""
    groups = [found.span() for found in _DIGITS.finditer(text)]
    most = max(map(len, _CARD_GROUPS))
    for place, group in enumerate(groups):
        together = [group]
        for following in groups[place + 1 : place + most]:
            if _BETWEEN_GROUPS.fullmatch(text, together[-1][1], following[0]) is None:
                break
            together.append(following)
        yield together


def payment_cards(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers of payment cards in ``text`` begin and end, whatever other numbers stand by.

    Spans can overlap: where two readings are a card, neither of them may be left.
    """
    for found in _CARD_ALONE.finditer(text):
        if _is_card(found[0], _CARD_KINDS):
            yield found.span()
    for found in _CARD_SAID.finditer(text):
        if _is_luhn("".join(str(int(digit)) for digit in found[1] if digit.isdecimal())):
            yield found.span(1)
    for groups in _groups_of_digits(text):
        start, first_end = groups[0]
        lengths = tuple(stop - begin for begin, stop in groups)
        ends = [
            groups[len(wanted) - 1][1]
            for wanted in _CARD_GROUPS
            if lengths[: len(wanted)] == wanted
        ]
        if lengths[0] in _CARD_LENGTHS and not _IS_FRACTION.search(text[max(start - 2, 0) : start]):
            ends.append(first_end)
        for end in ends:
            if _stands_alone(text, start, end) and _is_card(
                text[start:end], _CARD_KINDS, _CARD_KINDS_OF_ANY_LENGTH
            ):
                yield start, end


def bank_accounts(text: str) -> Iterator[tuple[int, int]]:
    """Where the international account numbers in ``text`` begin and end."""
    at = 0
    for found in _IBAN_START.finditer(text):
        end = _iban_end(text, found.start()) if found.start() >= at else None
        if end is not None:
            yield found.start(), end
            at = end
