"""Tickets near a text: BM25 over the postings and cosines of vectors, fused in one statement.

The index itself is kept by a trigger (migration *triage*); here it is read, and vectors are added.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import TicketIndexRow, TicketRow
from backend.app.db.repositories.search import SearchTooSlow
from backend.app.domain.embeddings import Vector
from backend.app.domain.principals import UserId
from backend.app.domain.tickets import NearTicket, TicketId, TicketStatus

#: Shares of the two scores, each between 0 and 1 within one search; level with the best of both on
#: all public sets that were looked at, so they are the same everywhere.
_LEXICAL = 0.4
_DENSE = 0.6
#: What the terms in common add, whatever else was found; and what each e-fold of tickets filed
#: since takes away. Chosen on the dev half of public data (tests/bench/test_duplicates.py).
_SHARE = 0.5
_SINCE = 0.03
#: Of a long text the rarest terms count.
_MAX_TERMS = 120
#: How many are looked at to tell how far ahead of the others one is.
_DEPTH = 50
_MAX_WORDS = 8
_MAX_TEXT = 4000
#: PostgreSQL's code for a statement that was cancelled, here by its time limit.
_CANCELLED = "57014"

# Compiling the statement would take longer than running it.
_LIMIT_TIME = sa.text(
    "SELECT set_config('statement_timeout', :milliseconds, true), set_config('jit', 'off', true)"
)
_HAS_VECTORS = sa.text("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')")

#: Who may see what is decided here, once.
_SCOPE = """
    SELECT t.number FROM tickets t
    WHERE (CAST(:everybodys AS boolean) OR t.requester_id = CAST(:person AS uuid))
      AND t.number < coalesce(CAST(:before AS bigint), 9223372036854775807)
"""
_IN_DATABASE = """
    SELECT i.ticket_number AS number,
           -(CAST(i.vector AS vector) <#> CAST(CAST(:vector AS real[]) AS vector)) AS cosine
    FROM ticket_index i JOIN scope ON scope.number = i.ticket_number
    WHERE i.model = CAST(:model AS text)
"""
_HANDED_IN = """
    SELECT d.number, d.cosine
    FROM unnest(CAST(:numbers AS bigint[]), CAST(:cosines AS float8[])) AS d(number, cosine)
"""
_NEAR = """
    WITH asked AS MATERIALIZED (
        SELECT lexeme AS term, cardinality(positions)::float8 AS asked_tf
        FROM unnest(ticket_terms(CAST(:text AS text)))
    ), scope AS MATERIALIZED ({scope}), corpus AS MATERIALIZED (
        SELECT CAST(1.2 AS float8) AS k1, CAST(0.75 AS float8) AS b, count(*)::float8 AS n,
               greatest(avg(title_length), 1)::float8 AS title_mean,
               greatest(avg(problem_length), 1)::float8 AS problem_mean,
               coalesce(CAST(:before AS bigint) - 1, max(ticket_number)) AS latest
        FROM ticket_index
    ), found AS MATERIALIZED (
        SELECT p.term, p.ticket_number, p.in_title, p.in_problem
        FROM ticket_postings p JOIN asked USING (term)
    ), frequency AS (
        SELECT term, count(*) AS any_df, count(*) FILTER (WHERE in_title > 0) AS title_df,
               count(*) FILTER (WHERE in_problem > 0) AS problem_df
        FROM found GROUP BY term
    ), weighed AS MATERIALIZED (
        SELECT term, asked_tf,
               ln(1 + (n - coalesce(any_df, 0) + 0.5) / (coalesce(any_df, 0) + 0.5)) AS weight,
               ln(1 + (n - coalesce(title_df, 0) + 0.5) / (coalesce(title_df, 0) + 0.5))
                   AS title_idf,
               ln(1 + (n - coalesce(problem_df, 0) + 0.5) / (coalesce(problem_df, 0) + 0.5))
                   AS problem_idf
        FROM asked CROSS JOIN corpus LEFT JOIN frequency USING (term)
        ORDER BY weight DESC, term LIMIT :max_terms
    ), whole AS MATERIALIZED (
        SELECT coalesce(sum(weight), 0) AS weight, coalesce(avg(weight), 0) AS mean FROM weighed
    ), lexical AS MATERIALIZED (
        SELECT f.ticket_number AS number, sum(weight) AS shared, count(*) AS shared_terms,
               sum(asked_tf * (
                   title_idf * in_title * (k1 + 1)
                       / (in_title + k1 * (1 - b + b * i.title_length / title_mean))
                   + problem_idf * in_problem * (k1 + 1)
                       / (in_problem + k1 * (1 - b + b * i.problem_length / problem_mean))
               )) AS score
        FROM found f JOIN weighed USING (term)
             JOIN ticket_index i ON i.ticket_number = f.ticket_number
             JOIN scope ON scope.number = f.ticket_number CROSS JOIN corpus
        GROUP BY f.ticket_number
    ), dense AS MATERIALIZED ({dense}), scored AS MATERIALIZED (
        SELECT number, cosine, coalesce(shared, 0) AS shared,
               coalesce(shared_terms, 0) AS shared_terms,
               coalesce(score / nullif(max(score) OVER (), 0), 0) AS lexical,
               coalesce((cosine - min(cosine) OVER ())
                   / nullif(max(cosine) OVER () - min(cosine) OVER (), 0), 0) AS dense
        FROM lexical FULL JOIN dense USING (number)
    ), measured AS (
        SELECT s.number, s.cosine, s.lexical, s.dense,
               greatest(latest - s.number, 0)::float8 AS since,
               coalesce(s.shared / nullif(whole.weight
                   + greatest(i.terms - s.shared_terms, 0) * whole.mean, 0), 0) AS share
        FROM scored s JOIN ticket_index i ON i.ticket_number = s.number
             CROSS JOIN corpus CROSS JOIN whole
    ), ranked AS MATERIALIZED (
        SELECT number, cosine, since, share,
               CAST(:lexical AS float8) * lexical + CAST(:dense AS float8) * dense
                   + CAST(:share AS float8) * share - CAST(:since AS float8) * ln(1 + since) AS rank
        FROM measured ORDER BY rank DESC, number DESC LIMIT :depth
    ), best AS MATERIALIZED (
        SELECT number FROM ranked ORDER BY rank DESC, number DESC LIMIT :limit
    ), spoken AS MATERIALIZED (
        SELECT DISTINCT ON (term) term, word FROM (
            SELECT (ts_lexize('english_stem', lower(token)))[1] AS term, lower(token) AS word
            FROM ts_parse('default', left(regexp_replace(
                CAST(:text AS text), '[[:punct:]]+', ' ', 'g'), 20000))
            WHERE length(token) > 1
        ) AS heard ORDER BY term, word
    ), told AS (
        SELECT best.number, (array_agg(spoken.word ORDER BY weight DESC, spoken.word))[1:{words}]
                   AS words
        FROM best JOIN ticket_postings p ON p.ticket_number = best.number
             JOIN weighed USING (term) JOIN spoken USING (term)
        GROUP BY best.number
    )
    SELECT t.id, t.number, t.title, t.status, t.created_at, r.cosine, r.share, r.since, r.rank,
           CASE WHEN best.number IS NULL THEN '' ELSE left(t.problem, {characters}) END AS text,
           coalesce(told.words, '{{}}') AS words
    FROM ranked r JOIN tickets t ON t.number = r.number
         LEFT JOIN best ON best.number = r.number LEFT JOIN told ON told.number = r.number
    ORDER BY r.rank DESC, r.number DESC
"""
_FILLED = {"scope": _SCOPE, "words": _MAX_WORDS, "characters": _MAX_TEXT}
_BY_DATABASE = sa.text(_NEAR.format(dense=_IN_DATABASE, **_FILLED))
_BY_US = sa.text(_NEAR.format(dense=_HANDED_IN, **_FILLED))
_READ = """
    WITH scope AS ({scope})
    SELECT i.ticket_number, i.vector
    FROM ticket_index i JOIN scope ON scope.number = i.ticket_number
    WHERE i.model = CAST(:model AS text)
"""
_VECTORS = sa.text(_READ.format(scope=_SCOPE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is searched for, and among which tickets: a person's own, or everybody's; only those
    below the number ``before`` when one is given.
    """

    text: str
    person: UserId
    everybodys: bool
    before: int | None = None
    model: str | None = None
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A ticket whose vector is missing or another model's."""

    number: int
    text: str


def _near(row: Row[tuple[object, ...]]) -> NearTicket:
    return NearTicket(
        id=TicketId(row.id),
        number=row.number,
        title=row.title,
        text=row.text,
        status=TicketStatus(row.status),
        created_at=row.created_at,
        cosine=row.cosine,
        share=row.share,
        since=int(row.since),
        rank=row.rank,
        words=tuple(row.words),
    )


class TicketSearchRepository:
    """Which tickets are near a text, and the vectors that helps with."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def near(
        self, around: Around, *, limit: int, within_seconds: float
    ) -> Sequence[NearTicket]:
        """The nearest tickets, best first; text and words of the first ``limit`` only.

        Raises:
            SearchTooSlow: the time is over; the transaction is lost.
        """
        parameters: dict[str, object] = {
            "text": around.text,
            "person": around.person,
            "everybodys": around.everybodys,
            "before": around.before,
            "max_terms": _MAX_TERMS,
            "depth": max(_DEPTH, limit),
            "limit": limit,
            "lexical": _LEXICAL,
            "dense": _DENSE,
            "share": _SHARE,
            "since": _SINCE,
        }
        await self._session.execute(
            _LIMIT_TIME, {"milliseconds": str(max(1, round(within_seconds * 1000)))}
        )
        try:
            statement, given = await self._dense(around)
            return [
                _near(row) for row in await self._session.execute(statement, parameters | given)
            ]
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _CANCELLED:
                raise SearchTooSlow from error
            raise

    async def _dense(self, around: Around) -> tuple[sa.TextClause, dict[str, object]]:
        """The statement with its cosines: by the database where it has the extension."""
        if around.vector is None:
            return _BY_US, {"numbers": [], "cosines": []}
        if await self._session.scalar(_HAS_VECTORS):
            return _BY_DATABASE, {"vector": list(around.vector), "model": around.model}
        rows = await self._session.execute(
            _VECTORS,
            {
                "person": around.person,
                "everybodys": around.everybodys,
                "before": around.before,
                "model": around.model,
            },
        )
        asked = around.vector
        numbers, cosines = [], []
        for number, vector in rows:
            numbers.append(number)
            cosines.append(sum(a * b for a, b in zip(vector, asked, strict=True)))
        return _BY_US, {"numbers": numbers, "cosines": cosines}

    async def unindexed(self, model: str, *, limit: int) -> Sequence[Unindexed]:
        """Tickets without a vector of this model, newest first."""
        query = (
            sa.select(TicketRow.number, TicketRow.title, sa.func.left(TicketRow.problem, _MAX_TEXT))
            .join(TicketIndexRow, TicketIndexRow.ticket_number == TicketRow.number)
            .where(TicketIndexRow.model.is_distinct_from(model))
            .order_by(TicketRow.number.desc())
            .limit(limit)
        )
        return [
            Unindexed(row[0], f"{row[1]}\n{row[2]}") for row in await self._session.execute(query)
        ]

    async def put_vectors(self, model: str, vectors: Sequence[tuple[Unindexed, Vector]]) -> None:
        """Store vectors of tickets whose text is still the one they were made of."""
        for one, vector in vectors:
            still = sa.func.concat(
                TicketRow.title, "\n", sa.func.left(TicketRow.problem, _MAX_TEXT)
            )
            await self._session.execute(
                sa.update(TicketIndexRow)
                .where(
                    TicketIndexRow.ticket_number == one.number,
                    TicketRow.number == TicketIndexRow.ticket_number,
                    still == one.text,
                )
                .values(model=model, vector=sa.literal(list(vector), ARRAY(sa.REAL)))
            )
