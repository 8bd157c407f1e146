"""Pages that a search of the web found, and which of their addresses may be shown.

Nothing here, and nobody who uses it, connects to an address that was found.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, urlsplit

from backend.app.core.text import clean, shorten

MAX_PAGE_TITLE = 160
MAX_PAGE_SNIPPET = 600
#: A longer address is no help to a person.
MAX_PAGE_ADDRESS = 1000
#: What may stand in an address as it is; everything else is percent-encoded.
_KEPT = "%/:?#&=+,;@~!$'-._"
_NOT_IN_ADDRESS = re.compile(r"[\s\\<>\"`{}|^]")
_NUMERIC_HOST = re.compile(
    r"(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|[0-9]+)){0,3}\.?", re.IGNORECASE
)
_INNER_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "invalid")


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page that was found: plain text, and an address that ``shown_address`` let through."""

    title: str
    url: str
    snippet: str


def shown_address(raw: object) -> str | None:
    """An address that may be offered as a link, percent-encoded; None for any other.

    Only ``http`` and ``https``, with a host, without a user name, which would make it look like
    another site's.
    """
    if not isinstance(raw, str) or len(raw) > MAX_PAGE_ADDRESS or _NOT_IN_ADDRESS.search(raw):
        return None
    try:
        parts = urlsplit(clean(raw))
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # among them what no host may be called
        return None
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        return None
    named = f"[{host}]" if ":" in host else quote(host, safe="-._")
    place = named if port is None else f"{named}:{port}"
    rest = parts._replace(scheme="", netloc="").geturl()
    return f"{parts.scheme}://{place}{quote(rest, safe=_KEPT)}"


def is_public_address(address: str) -> bool:
    """Whether an address names a host that a search of the public web can know of: neither this
    machine nor a private network, in whichever way its number is written.
    """
    host = (urlsplit(address).hostname or "").rstrip(".").casefold()
    number = _host_number(host)
    if number is not None:
        mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
        return (mapped or number).is_global
    if _NUMERIC_HOST.fullmatch(host):
        return False
    return "." in host and not any(
        host == inner or host.endswith(f".{inner}") for inner in _INNER_NAMES
    )


def _host_number(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None


def page(title: object, address: object, text: object) -> WebPage | None:
    """A page out of what somebody else's program said of it; None when it cannot be shown."""
    url = shown_address(address)
    if url is None:
        return None
    snippet = shorten(clean(text), MAX_PAGE_SNIPPET) if isinstance(text, str) else ""
    named = shorten(clean(title), MAX_PAGE_TITLE) if isinstance(title, str) else ""
    return WebPage(named or (urlsplit(url).hostname or ""), url, snippet)
