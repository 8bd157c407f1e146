"""Secrets taken out of a text by what they look like, not by the name of the field they stand in.

A secret becomes ``[redacted: kind]``. What a technician needs stays: addresses, numbers of tickets,
identifiers, digests, and talk about passwords that tells none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from backend.app.domain.redaction_numbers import (
    SOCIAL_SECURITY,
    SOCIAL_SECURITY_SAID,
    bank_accounts,
    payment_cards,
)
from backend.app.domain.redaction_tokens import TOKEN_FORMS, is_blank, random_secrets
from backend.app.domain.redaction_words import is_ordinary, looks_secret

_CALLED = (
    r"(?:pass(?:word|wd|code|phrase)s?|pwd|pw|pass|passwort|passwörter|kennwort|zugangscode"
    r"|mot de passe|mots de passe|mdp|contraseña|contrasena|clave)"
)
_NOT_DONE = r"(?!\[redacted: )"
#: What an unquoted value goes on with: a mark belongs to it as a whole or not at all.
_GOES_ON = r"(?:[^\s\[]|\[(?!redacted: )|\[redacted: [A-Za-z ]{3,22}\])"
#: Where a word begins, be it glued to the end of a value.
_BEGINS = r"(?:\b|(?<=\d))"
_VALUE = (
    r"(?:<[^>\n]{1,60}>|\"[^\"\n]{1,128}\"|'[^'\n]{1,128}'|`[^`\n]{1,128}`|“[^”\n]{1,128}”"
    r"|„[^“”\n]{1,128}[“”]|«[^»\n]{1,128}»|[^\s\"'`“„«]"
    rf"{_GOES_ON}{{0,199}})"
)
_OWNER = (
    r"(?:[ \t]+(?:for|of|to|on|für|zum|zu|von|pour|de|du|para|del)[ \t]+[^\n.:=!?\[\]]{1,40}?)?"
)

_ASSIGNED = re.compile(
    rf"({_CALLED}[\\\"']{{0,2}}[ \t]?{_OWNER}[ \t]*(?>=>|->|:=|[:=]|%3[AD])[ \t]*\n?[ \t]*)"
    rf"{_NOT_DONE}({_VALUE})",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"({_BEGINS}{_CALLED}{_OWNER}[ \t]+"
    r"(?:is|was|ist|lautet|war|est|était|es|era|are|sind|c'est)(?:[ \t]+(?:now|currently|still"
    r"|jetzt|noch|maintenant|ahora|just|simply|einfach)(?=[ \t:]))?+[ \t]*:?[ \t]+)"
    rf"{_NOT_DONE}({_VALUE})([ \t]+[^\W\d_]{{2,}})?",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"((?:\b(?:with|using|use|mit|avec|con|the|my|mein|mon|mi|changed|set|reset|tried)[ \t]+)"
    rf"(?:(?:the|my|this|that|dem|meinem|le|mon|la|mi|a|new|neuen)[ \t]+){{0,2}}{_CALLED}[ \t]+"
    r"(?:(?:to|auf|en|à|a|zu|of)[ \t]+)?)"
    rf"{_NOT_DONE}({_VALUE})",
    re.IGNORECASE,
)
_FLAG = re.compile(
    rf"(--?(?:password|passwd|pass|pwd|token|secret|api-key)[ \t=]++){_NOT_DONE}({_VALUE})",
    re.IGNORECASE,
)
_PIN = re.compile(
    rf"({_BEGINS}PIN(?:[ -]?code)?[ \t]*(?:is|ist|est|es|:|=)[ \t]*)(\d{{4,8}})(?!\d)"
)
_CURL_USER = re.compile(
    r"(\bcurl\b[^\n]{0,80}?[ \t](?:-u|--user)[ \t=]+[\"']?(?:[^\s:\"']{1,64}[\"']?|(?<=[\"'])):)"
    r"([\"']?(?:[^\s\"'\[]|\[(?!redacted: )){1,128})"
)
_HEADER = re.compile(
    rf"((?:proxy-)?authorization:[ \t]*(?:[A-Za-z]{{3,12}}[ \t]+)?){_NOT_DONE}"
    r"([A-Za-z0-9+/_.~=-]{8,4096})",
    re.IGNORECASE,
)
_KEYED = re.compile(
    r"((?:api[ _-]?key|access[ _-]?key|auth[ _-]?token|access[ _-]?token|refresh[ _-]?token"
    r"|client[ _-]?secret|secret[ _-]?key|secret[ _-]?access[ _-]?key|account[ _-]?key"
    r"|private[ _-]?key"
    r"|signing[ _-]?key|shared[ _-]?access[ _-]?signature|(?<!\w)sig|(?<!publickey)token|secret)"
    r"[\\\"']{0,2}[ \t]*(?:=>|:=|[:=]|%3[AD]|\bis\b|\bist\b)[ \t]*[\\\"']{0,2})"
    rf"{_NOT_DONE}([A-Za-z0-9+/_.~%=-]{{8,512}})",
    re.IGNORECASE,
)
_URL_CALLED = re.compile(
    rf"(\b[a-z][a-z0-9+.-]{{1,20}}://[^\s:/@\[\]]{{0,100}}:){_NOT_DONE}"
    r"((?:[^\s/@\[]|\[(?!redacted: )){1,200})(?=@)",
    re.IGNORECASE,
)
_AUTHORISATION = re.compile(
    rf"(\b(?:Bearer|(?<=Authorization: )Basic|(?<=authorization: )basic)[ \t]+){_NOT_DONE}"
    r"([A-Za-z0-9._~+/-]{16,4096}={0,2})",
    re.IGNORECASE,
)
_PEM = re.compile(
    r"-----BEGIN[ A-Z0-9]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s>]|\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]*|[A-Za-z0-9+/=]{12,})*+"
    r"(?:[A-Za-z0-9+/=]{1,11}(?:\s|\\[nr])*(?=-----END))?"
    r"(?:-----END[ A-Z0-9]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)
#: Of several passwords one writes about, not down.
_PLURAL = re.compile(r"(?:passwords|mots de passe|passwörter)", re.IGNORECASE)
_MARKED = "[redacted: "
_TRAILING = ".,;:!?)]}>*_"
_ENDS_PASSWORDS_TOO = "!?*_"
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
#: Two do for what people write; each takes out something, so that contrived texts end as well.
_MOST_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: Mapping[str, int]


class _Redaction:
    """A text being worked on, and what was taken out of it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.counts: Counter[str] = Counter()

    def mark(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"[redacted: {kind}]"

    def spans(self, found: Iterable[tuple[int, int]], kind: str) -> None:
        """Take out what stands at ``found``; what overlaps becomes one mark."""
        parts, at = [], 0
        for start, end in sorted(found):
            if start >= at:
                parts += [self.text[at:start], self.mark(kind)]
            at = max(at, end)
        self.text = "".join([*parts, self.text[at:]])

    def all_of(self, pattern: re.Pattern[str], kind: str) -> None:
        """Take out whatever matches as a whole."""
        self.spans((found.span() for found in pattern.finditer(self.text)), kind)

    def values(
        self, pattern: re.Pattern[str], kind: str, is_one: Callable[[re.Match[str], str], bool]
    ) -> None:
        """Take out the second group, without the punctuation behind it and its quotes.

        The search goes on inside the value, for another statement can be glued to it.
        """
        spans, found = [], pattern.search(self.text)
        while found is not None:
            value = _value_of(found)
            if value and not value.startswith(_MARKED) and is_one(found, value):
                start = found.start(2) + (1 if _is_quoted(found) and len(found[2]) > 2 else 0)
                spans.append((start, start + len(value) + _more_of(found, value)))
            found = pattern.search(self.text, found.start(2))
        self.spans(spans, kind)


def _value_of(found: re.Match[str]) -> str:
    """The value a statement tells, without its quotes or the punctuation behind it."""
    written = found[2]
    if _is_quoted(found) and len(written) > 2:
        return written[1:-1]
    if written.startswith("<"):
        return written
    value = written.rstrip(_TRAILING)
    ends_in_mark = value.rfind(_MARKED) > value.rfind("]")
    return written[: len(value) + 1] if ends_in_mark else value


def _more_of(found: re.Match[str], value: str) -> int:
    """How many of the characters behind an unquoted value may be its own: they end sentences, and
    passwords too.
    """
    if _is_quoted(found):
        return 0
    rest = found[2][len(value) :]
    return len(rest) - len(rest.lstrip(_ENDS_PASSWORDS_TOO))


def _is_quoted(found: re.Match[str]) -> bool:
    return found[2][0] in "\"'`“„«"


def _is_assigned(found: re.Match[str], value: str) -> bool:
    if _PLURAL.match(found[1]):
        return looks_secret(value)
    if "->" in found[1]:  # a way through menus more often than an assignment
        return looks_secret(value)
    return len(value) >= 3 and (not is_ordinary(value) or "=" in found[1])


def _is_said(found: re.Match[str], value: str) -> bool:
    if _is_quoted(found) or looks_secret(value):
        return True
    is_last = found[3] is None or found[2][-1] in ".!?;,"
    return is_last and len(value) >= 4 and not is_ordinary(value)


def _is_written_out(_: re.Match[str], value: str) -> bool:
    """Whether a password stands there, and no variable or placeholder for one."""
    return value[0] not in "$<%" and not value.startswith("[PASS") and not is_ordinary(value)


def _is_bare(found: re.Match[str], value: str) -> bool:
    return looks_secret(value) or (_is_quoted(found) and " " not in value)


def _is_key(found: re.Match[str], value: str) -> bool:
    word = value.rstrip("0123456789")
    is_numbered = len(value) - len(word) <= 2 and word.casefold() in found[1].casefold()
    return not is_numbered and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    for found in TOKEN_FORMS.finditer(text):
        if not is_blank(found[0]):
            yield found.span()


def _always(_: re.Match[str], __: str) -> bool:
    return True


def _redact_once(work: _Redaction) -> None:
    work.all_of(_PEM, "private key")
    work.values(_URL_CALLED, "password", _always)
    work.values(_AUTHORISATION, "token", _always)
    work.spans(_tokens(work.text), "token")
    # Before the values, for these end at a space and numbers are written with spaces.
    work.spans(bank_accounts(work.text), "bank account")
    work.spans(payment_cards(work.text), "payment card")
    work.values(_KEYED, "token", _is_key)
    work.spans(random_secrets(work.text), "token")
    work.values(_HEADER, "token", _is_key)
    work.values(_CURL_USER, "password", _is_written_out)
    work.values(_FLAG, "password", _is_assigned)
    work.values(_ASSIGNED, "password", _is_assigned)
    work.values(_SAID, "password", _is_said)
    work.values(_BARE, "password", _is_bare)
    work.values(_PIN, "PIN", _always)
    work.values(SOCIAL_SECURITY_SAID, "social security number", _always)
    work.all_of(SOCIAL_SECURITY, "social security number")


def redact(text: str) -> Redacted:
    """``text`` without passwords, tokens, keys, card, account and social security numbers.

    What is left is looked through again until nothing more is found, so that redacting a redacted
    text changes nothing. Where characters that nobody sees hide a secret, they go as well.
    """
    found = _redacted(text)
    plain = _INVISIBLE.sub("", text)
    if plain == text:
        return found
    seen_through = _redacted(plain)
    hides = sum(seen_through.counts.values()) > sum(found.counts.values())
    return seen_through if hides else found


def _redacted(text: str) -> Redacted:
    work = _Redaction(text)
    for _ in range(_MOST_ROUNDS):
        found = work.counts.total()
        _redact_once(work)
        if work.counts.total() == found:
            break
    return Redacted(work.text, MappingProxyType(dict(work.counts)))
