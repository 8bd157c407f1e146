"""How long GitHub wants to be left alone, out of its answers."""

import re
from datetime import datetime, timedelta

import httpx

#: What a tracker that is busy is left alone for when it does not say for how long.
_REST = timedelta(seconds=60)
_LONGEST_REST = timedelta(hours=1)


def wait_of(status: int, headers: httpx.Headers, body: bytes, now: datetime) -> timedelta | None:
    """A rate limit's wait: a 429, or a 403 that is no lack of rights; 503 when it says how long."""
    asked = _seconds(headers.get("retry-after"))
    if status in {403, 503} and asked is not None:
        return asked
    if status == 429 or (status == 403 and _is_limit(headers, body)):
        return asked or until_reset(headers, now) or _REST
    return None


def _is_limit(headers: httpx.Headers, body: bytes) -> bool:
    text = body[:2000].decode("utf-8", "replace").lower()
    return headers.get("x-ratelimit-remaining") == "0" or "rate limit" in text


def _seconds(told: str | None) -> timedelta | None:
    if told is None or not re.fullmatch(r"[0-9]{1,9}", told.strip()):
        return None
    return min(timedelta(seconds=max(1, int(told))), _LONGEST_REST)


def until_reset(headers: httpx.Headers, now: datetime) -> timedelta | None:
    """How long until the tracker's hour begins anew, if the headers say when."""
    reset = headers.get("x-ratelimit-reset", "")
    if not re.fullmatch(r"[0-9]{1,12}", reset):
        return None
    left = timedelta(seconds=int(reset) - int(now.timestamp()) + 1)
    return min(max(left, timedelta(seconds=1)), _LONGEST_REST)
