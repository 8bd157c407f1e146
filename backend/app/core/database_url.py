"""A database URL as people write it, turned into one that the driver takes."""

import re
from urllib.parse import parse_qsl, quote, urlencode

_PARTS = re.compile(
    r"(?P<scheme>[^:/]*)://(?P<login>[^:/@]*(:[^@]*)?@)?"
    r"(?P<server>(\[[^]/?]+\]|[^:/?\[]*)(:(?P<port>[0-9]{1,5}))?)(?P<database>/[^?]*)?(\?(?P<query>.*))?"
)
_SSL_MODES = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})
#: Parameters that a database URL may carry, with the values each may have.
_URL_PARAMETERS = {
    "application_name": re.compile(r".{1,63}"),
    "host": re.compile(r".+"),
    "port": re.compile(r"[0-9]{1,5}"),
    "ssl": re.compile("|".join(_SSL_MODES)),
    "target_session_attrs": re.compile("any|primary|standby|read-write|read-only|prefer-standby"),
}


def for_the_driver(url: str) -> str:
    """libpq's URL as asyncpg takes it: driver named, ``sslmode`` under asyncpg's name ``ssl``.

    Raises:
        ValueError: asyncpg could make nothing of it. No part of a password is in the message.
    """
    parts = _PARTS.fullmatch(url)
    if url.partition("://")[0] not in {"postgres", "postgresql", "postgresql+asyncpg"}:
        raise ValueError("must start with postgresql://")
    if (
        parts is None
        or int(parts["port"] or 0) > 65535
        or "@" in url[parts.end("login") if parts["login"] else 0 :]
    ):
        # An unescaped password is cut at the wrong place: then no part is safe to show.
        raise ValueError(
            "must look like postgresql://user:password@host:5432/database, with @ : / ? # % in"
            " a name or password percent-encoded"
        )
    query = [
        ("ssl" if name == "sslmode" else name, value)
        for name, value in parse_qsl(parts["query"] or "", keep_blank_values=True)
    ]
    for name, value in query:
        if name not in _URL_PARAMETERS:
            shown = name if re.fullmatch("[a-z_]{1,40}", name) else "unnamed"
            raise ValueError(
                f"has the parameter {shown}, which is not understood here; remove it (known:"
                f" sslmode, {', '.join(sorted(_URL_PARAMETERS.keys() - {'ssl'}))})"
            )
        if not _URL_PARAMETERS[name].fullmatch(value):
            raise ValueError(f"gives {name.replace('ssl', 'sslmode')} a value that it cannot have")
    rest = f"{parts['login'] or ''}{parts['server']}{parts['database'] or ''}"
    encoded = urlencode(query, quote_via=quote, safe="")
    return f"postgresql+asyncpg://{rest}{'?' if encoded else ''}{encoded}"
