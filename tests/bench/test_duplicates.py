"""How well, and how fast, a ticket's earlier copy is found; and what its odds are worth.

Three public sets, their dev halves, through the product's own search: only tickets filed before the
query count. The constants of the odds are fitted here: logistic regression over the five best of
each query, scored by five folds of queries that each fit did not see. Run with ``-s``.
"""

import json
import math
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pytest
import pytest_asyncio
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.db.models import TicketRow
from backend.app.db.repositories.ticket_search import Around
from backend.app.domain.principals import Role
from backend.app.domain.tickets import NearTicket, Sameness
from backend.app.services.helpdesk import duplicates as product
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk.learning import calibration_error
from backend.tests.support.people import People, Person
from tests.bench.cached_embeddings import CachedEmbeddings
from tests.bench.resampling import mean_and_interval

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3000)]

_SHOWN = 5


@dataclass(frozen=True)
class Asked:
    """A query, what was found for it, and the numbers of its known copies."""

    text: str
    before: int
    relevant: frozenset[int]
    other_author: bool
    near: list[NearTicket]
    seconds: float


@pytest_asyncio.fixture
async def embeddings() -> AsyncIterator[CachedEmbeddings]:
    """The model with a memory."""
    made = CachedEmbeddings()
    yield made
    made.keep()


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _when(row: dict[str, Any]) -> tuple[datetime, int]:
    at = datetime.fromisoformat(row["created"])
    return (at if at.tzinfo else at.replace(tzinfo=UTC)), int(row["id"])


async def _load(container: Container, folder: Path, person: Person) -> dict[str, int]:
    """The corpus as tickets in the order of time; their numbers by id, queries' places included."""
    corpus = {row["id"]: row for row in _rows(folder / "corpus.jsonl")}
    queries = {row["id"]: row for row in _rows(folder / "dev" / "queries.jsonl")}
    ordered = sorted((corpus | queries).values(), key=lambda row: (int(row["id"]), *_when(row)))
    if folder.name != "tb-dup":
        ordered = sorted(ordered, key=_when)
    numbers = {row["id"]: number for number, row in enumerate(ordered, start=1)}
    filed = [
        {
            "id": uuid4(),
            "number": numbers[key],
            "requester_id": person.principal.user_id,
            "title": row["title"].replace("\0", " "),
            "body": "",
            "problem": row["body"].replace("\0", " "),
            "severity": "medium",
            "impact": "Person",
            "category": "other",
            "origin": "api",
            "created_at": _when(row)[0],
        }
        for key, row in corpus.items()
    ]
    async with container.engine.begin() as connection:
        for start in range(0, len(filed), 500):
            await connection.execute(sa.insert(TicketRow), filed[start : start + 500])
    async with container.engine.begin() as connection:
        await connection.execute(sa.text("ANALYZE tickets, ticket_index, ticket_postings"))
    return numbers


async def _ask(
    container: Container,
    searching: Duplicates,
    folder: Path,
    numbers: dict[str, int],
    person: Person,
    *,
    by_words: bool = False,
) -> list[Asked]:
    asked = []
    for row in _rows(folder / "dev" / "queries.jsonl"):
        before = numbers[row["id"]]
        text = f"{row['title']}\n{row['body']}".replace("\0", " ")
        vector = None if by_words else await searching._vector(text)
        around = Around(
            text=text,
            person=person.principal.user_id,
            everybodys=True,
            before=before,
            model=searching.embeddings.name,
            vector=vector,
        )
        began = time.perf_counter()
        async with container.uow() as work:
            near = await work.ticket_search.near(around, limit=_SHOWN, within_seconds=60)
        seconds = time.perf_counter() - began
        relevant = frozenset(numbers[key] for key in row["duplicate_ids"] if key in numbers)
        other = row.get("same_author") is False
        asked.append(Asked(text, before, relevant, other, list(near), seconds))
    return asked


def _recall(asked: list[Asked], depth: int) -> list[float]:
    return [
        len(one.relevant & {near.number for near in one.near[:depth]}) / len(one.relevant)
        for one in asked
        if one.relevant
    ]


def _measured(one: Asked, near: NearTicket) -> list[float]:
    lead = product._lead(near, one.near)
    if near.cosine is None:
        return [1.0, near.share, lead, math.log1p(near.since)]
    return [1.0, near.cosine, near.share, lead, math.log1p(near.since)]


def _regress(
    features: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Logistic regression by Newton's steps, with hardly any penalty."""
    weights = np.zeros(features.shape[1])
    for _ in range(40):
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (likely - labels) + 0.01 * weights
        bend = (features * (likely * (1 - likely))[:, None]).T @ features
        weights -= np.linalg.solve(bend + 0.01 * np.eye(len(weights)), slope)
    return weights


def _odds(asked: list[Asked]) -> None:
    """What a fit of the odds is worth on queries that it did not see, and its constants."""
    rows = [
        (number, place, _measured(one, near), near.number in one.relevant)
        for number, one in enumerate(asked)
        for place, near in enumerate(one.near[:_SHOWN])
    ]
    fold = np.array([number % 5 for number, *_ in rows])
    first = np.array([place == 0 for _, place, *_ in rows])
    features = np.array([values for _, _, values, _ in rows])
    labels = np.array([label for *_, label in rows], float)
    odds = np.zeros(len(rows))
    for k in range(5):
        used = fold != k
        weights = _regress(features[used], labels[used])
        odds[~used] = 1 / (1 + np.exp(-features[~used] @ weights))
    copies = sum(bool(one.relevant) for one in asked)
    print(
        f"  odds, five folds: calibration error {calibration_error(odds, labels):.3f} (all shown),"
        f" {calibration_error(odds[first], labels[first]):.3f} (first); constants of a fit on all:"
        f" {np.round(_regress(features, labels), 2)}"
    )
    for cut in (0.85, 0.9, 0.95):
        said = odds >= cut
        print(
            f"  same at {cut}: n={int(said.sum())} precision"
            f" {mean_and_interval(labels[said].tolist())} recall {labels[said].sum() / copies:.3f}"
        )


def _verdicts(asked: list[Asked]) -> tuple[int, int]:
    """How often the product's own constants say *same*, and how often rightly."""
    said = right = 0
    for one in asked:
        for candidate in product.judge(one.text, one.near, limit=_SHOWN):
            if candidate.sameness is not Sameness.RELATED:
                said += 1
                right += candidate.number in one.relevant
    return said, right


def _told(name: str, how: str, asked: list[Asked]) -> float:
    five = _recall(asked, 5)
    said, right = _verdicts(asked)
    times = np.array([one.seconds for one in asked]) * 1000
    others = _recall([one for one in asked if one.other_author], 5)
    print(
        f"\n{name}, {how}: n={len(five)} R@1 {mean_and_interval(_recall(asked, 1))}"
        f" R@5 {mean_and_interval(five)} R@10 {mean_and_interval(_recall(asked, 10))}"
        f"\n  R@5 of other authors' copies {mean_and_interval(others)} (n={len(others)})"
        f"\n  search p50 {np.percentile(times, 50):.0f} ms, p95 {np.percentile(times, 95):.0f} ms"
        f"; verdict same or came back: {said}, right {right}"
    )
    return float(np.mean(five))


@pytest.mark.parametrize(
    ("name", "floor"), [("tb-dup", 0.54), ("dup-hadoop", 0.85), ("dup-seamonkey", 0.70)]
)
async def test_an_earlier_ticket_about_the_same_is_found(
    container: Container,
    public_data: Path,
    people: People,
    embeddings: CachedEmbeddings,
    name: str,
    floor: float,
) -> None:
    folder = public_data / name
    if not (folder / "corpus.jsonl").is_file():
        pytest.skip(f"not run: no {name} in {public_data}")
    operator = await people.make("olga", Role.OPERATOR)
    numbers = await _load(container, folder, operator)
    searching = replace(container.duplicates, embeddings=embeddings)
    indexed = await searching.index()
    assert indexed > 1000
    lexical = await _ask(container, searching, folder, numbers, operator, by_words=True)
    words = _told(name, "by words", lexical)
    _odds(lexical)
    both = await _ask(container, searching, folder, numbers, operator)
    meaning = _told(name, "with meaning", both)
    _odds(both)

    assert meaning >= floor
    assert meaning > words
