"""The product's embedding model, each text computed once on this machine."""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from backend.app.core.semantic_settings import SemanticSettings
from backend.app.domain.embeddings import Vector
from backend.app.providers.embeddings import MiniLM

_FILE = Path(
    os.environ.get("BENCH_CACHE", Path(tempfile.gettempdir()) / "helpdesk-bench"), "vectors.npz"
)


class CachedEmbeddings:
    """`MiniLM` with its vectors kept in a file below the temporary folder."""

    def __init__(self) -> None:
        self._model = MiniLM(SemanticSettings())
        self._known: dict[str, Vector] = {}
        if _FILE.is_file():
            with np.load(_FILE, allow_pickle=False) as stored:
                if str(stored["model"]) == self.name:
                    self._known = dict(
                        zip(stored["keys"].tolist(), stored["vectors"].tolist(), strict=True)
                    )

    @property
    def name(self) -> str | None:
        """See `Embeddings`."""
        return self._model.name

    @property
    def missing(self) -> str | None:
        """See `Embeddings`."""
        return self._model.missing

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """See `Embeddings`."""
        keys = [hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
        new = [text for key, text in zip(keys, texts, strict=True) if key not in self._known]
        for text, vector in zip(new, await self._model.embed(new), strict=True):
            self._known[hashlib.sha256(text.encode()).hexdigest()[:24]] = vector
        return [self._known[key] for key in keys]

    def keep(self) -> None:
        """Write what was computed, and let the model go."""
        _FILE.parent.mkdir(parents=True, exist_ok=True)
        vectors = np.array(list(self._known.values()), np.float32)
        np.savez(_FILE, model=str(self.name), keys=np.array(list(self._known)), vectors=vectors)
        self._model.close()
