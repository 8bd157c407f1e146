"""Fitted models of a site's categories; the latest counts."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import CategoryModelRow


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model as it is stored; ``digest`` is of ``content``."""

    version: int
    digest: bytes
    examples: int
    content: bytes


class CategoryModelRepository:
    """Reads and replaces the model."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def digest(self) -> bytes | None:
        """The digest of the model that counts; None without one."""
        query = sa.select(CategoryModelRow.digest).order_by(CategoryModelRow.version.desc())
        found: bytes | None = await self._session.scalar(query.limit(1))
        return found

    async def latest(self) -> StoredModel | None:
        """The model that counts."""
        query = sa.select(CategoryModelRow).order_by(CategoryModelRow.version.desc()).limit(1)
        row = (await self._session.scalars(query)).one_or_none()
        if row is None:
            return None
        return StoredModel(row.version, row.digest, row.examples, row.content)

    async def replace(self, digest: bytes, content: bytes, *, examples: int) -> int:
        """Make this the model that counts, its version; earlier ones go."""
        added = await self._session.execute(
            sa.insert(CategoryModelRow)
            .values(digest=digest, content=content, examples=examples)
            .returning(CategoryModelRow.version)
        )
        version: int = added.scalar_one()
        await self._session.execute(
            sa.delete(CategoryModelRow).where(CategoryModelRow.version < version)
        )
        return version

    async def forget(self) -> bool:
        """Delete the model; whether there was one."""
        gone = await self._session.execute(
            sa.delete(CategoryModelRow).returning(CategoryModelRow.version)
        )
        return bool(gone.all())
