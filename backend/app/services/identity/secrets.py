"""Secrets that are shown once and kept only as digests."""

import hashlib
import hmac

ACCESS_TOKEN_PREFIX = "hda_"  # noqa: S105 -- what every token begins with
#: How much of an access token its owner sees in lists.
SHOWN_CHARACTERS = len(ACCESS_TOKEN_PREFIX) + 6


def digest(secret: str) -> bytes:
    """The SHA-256 under which a random secret is stored; 256 random bits need no salt."""
    return hashlib.sha256(secret.encode()).digest()


def csrf_token(session_token: str) -> str:
    """What the page must send along with a cookie; it follows from the session's secret."""
    return hmac.new(session_token.encode(), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_token(presented: str, session_token: str) -> bool:
    """Whether ``presented`` belongs to the session, in constant time."""
    return hmac.compare_digest(
        presented.encode("utf-8", "replace"), csrf_token(session_token).encode()
    )


def bucket(limit: str, key: str) -> str:
    """The name under which attempts of ``key`` are counted; the key itself is not stored."""
    return f"{limit}:{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:32]}"
