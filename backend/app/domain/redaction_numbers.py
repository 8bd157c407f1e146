"""Numbers that tell who pays or who someone is, known by their check digits."""

import re
from collections.abc import Iterator

CARD = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-])")
_CARD_KINDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|(?:6011|65\d\d|64[4-9]\d)\d{12}|(?:30[0-5]|36\d|38\d)\d{11}|35(?:2[89]"
    r"|[3-8]\d)\d{12}"
    r"|(?:50|5[6-8]|6\d)\d{14}"
)
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])")
SOCIAL_SECURITY = re.compile(
    r"(?<![\w-])(?<!no )(?<!no\. )(?<!number )(?<!part )(?<!order )(?<!ticket )"
    r"(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])"
)
SOCIAL_SECURITY_SAID = re.compile(
    r"(\b(?:SSN|social security(?: number)?)[ \t]*(?:is|:|=|#)?[ \t]*)(\d{3} ?\d{2} ?\d{4})\b",
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
    return at if is_whole and _is_iban(compact.upper()) else None


def is_card(written: str) -> bool:
    """Whether ``written`` is the number of a payment card."""
    digits = re.sub(r"\D", "", written)
    return _CARD_KINDS.fullmatch(digits) is not None and _is_luhn(digits)


def bank_accounts(text: str) -> Iterator[tuple[int, int]]:
    """Where the international account numbers in ``text`` begin and end."""
    at = 0
    for found in _IBAN_START.finditer(text):
        end = _iban_end(text, found.start()) if found.start() >= at else None
        if end is not None:
            yield found.start(), end
            at = end
