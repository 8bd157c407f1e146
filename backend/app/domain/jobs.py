"""Jobs: background work that is asked for in a transaction and done by whichever worker is free."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType
from uuid import UUID

JobId = NewType("JobId", int)

#: What a job is told: ids and numbers, never a person's text, which would outlive its owner's wish
#: to have it deleted.
Arguments = Mapping[str, UUID | int]

# 40 letters at most: the database's bell for a job bears its name, and a longer one cannot ring.
_NAME = re.compile(r"[a-z][a-z_]{0,39}")


def job_name(name: str) -> str:
    """The name, if a job can have it.

    Raises:
        ValueError: it cannot: small letters and underscores, 40 at most.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"a job cannot be called {name!r}")
    return name


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a job by one worker, that has ended as far as the worker is concerned."""

    job_id: JobId
    worker_id: int
    earlier: int


@dataclass(frozen=True, slots=True)
class Stranded:
    """A job that counts as running and that nobody runs; ``earlier`` counts its ended attempts."""

    job_id: JobId
    name: str
    earlier: int
