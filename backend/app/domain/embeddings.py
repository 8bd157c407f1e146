"""The port to meaning: texts as vectors whose angle says how alike they are."""

from collections.abc import Sequence
from typing import Protocol

#: Components of one vector; vectors have length 1, so that a dot product is a cosine.
DIMENSIONS = 384

Vector = Sequence[float]


class Embeddings(Protocol):
    """An embedding model, which may be missing."""

    @property
    def name(self) -> str | None:
        """What stored vectors are labelled with: only those of one name can be compared. None:
        there is no model, and texts can be compared by words only.
        """

    @property
    def missing(self) -> str | None:
        """Why there is no model, in words for an operator; None when there is."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, of its beginning only.

        Raises:
            SemanticOff: there is no model.
        """
