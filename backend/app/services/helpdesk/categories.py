"""A site's own categories: fitted from its labelled texts, kept in the database, used everywhere.

Without a fitted model the rules of `classifying` stay.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from backend.app.core.errors import AppError, Invalid, NotFound
from backend.app.core.logging import described, get_logger
from backend.app.core.text import clean, has_lone_surrogate
from backend.app.db.repositories.category_models import StoredModel
from backend.app.db.uow import UnitOfWork
from backend.app.domain.embeddings import Embeddings, Vector
from backend.app.domain.events import CategoriesFitted
from backend.app.domain.sessions import Category, Classification
from backend.app.services.helpdesk.classifying import Graded, grade

if TYPE_CHECKING:
    from backend.app.services.helpdesk.learning import Model, Report

MAX_FILE_BYTES = 200_000_000
#: So many examples are learnt from; of more, an even spread.
MAX_EXAMPLES = 8000
MAX_LABELS = 200
MIN_EXAMPLES_OF_LABEL = 5
_MAX_LABEL_CHARACTERS = 60
_MAX_TEXT_CHARACTERS = 20_000
_EMBEDDED_AT_ONCE = 64
_PATIENCE_SECONDS = 3.0
_OWN = {category.value for category in Category}


class UnreadableExamples(Invalid):
    """The labelled examples cannot be used."""


class NoCategoryModel(NotFound):
    """No categories have been fitted."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text and what it is filed under."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Classified:
    """A text's grades, each with how sure that is. ``category`` is a fitted label, or one of the
    product's own without a model; ``model``: the fitted model's version.
    """

    graded: Graded
    category: str
    category_confidence: float
    model: int | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fit stored."""

    version: int
    digest: str
    report: "Report"
    left_out: int


def read_examples(path: Path) -> Iterator[Example]:
    """An example per line: ``text`` and ``label``.

    Raises:
        UnreadableExamples: a line is not one; its number is in the message.
    """
    if not path.is_file():
        raise UnreadableExamples(f"{path} is not a file.")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise UnreadableExamples(f"{path.name} has more than {MAX_FILE_BYTES // 1_000_000} MB.")
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _example(line, f"Line {number}")


def _example(line: str, where: str) -> Example:
    if has_lone_surrogate(line):
        raise UnreadableExamples(f"{where} is not UTF-8.")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableExamples(f"{where} is not valid JSON.") from error
    if not isinstance(fields, dict):
        raise UnreadableExamples(f"{where} must be an object.")
    text, label = fields.get("text"), fields.get("label")
    if not isinstance(text, str) or not text.strip():
        raise UnreadableExamples(f"{where}: text must be given.")
    if not isinstance(label, str) or not label.strip():
        raise UnreadableExamples(f"{where}: label must be given.")
    label = " ".join(clean(label).split())
    if len(label) > _MAX_LABEL_CHARACTERS or has_lone_surrogate(text + label):
        raise UnreadableExamples(
            f"{where}: label has more than {_MAX_LABEL_CHARACTERS} characters, or half a character."
        )
    return Example(clean(text[:_MAX_TEXT_CHARACTERS]), label)


def _usable(examples: Sequence[Example]) -> list[Example]:
    """The examples to learn from, the same ones each time.

    Raises:
        UnreadableExamples: nothing can be learnt from them.
    """
    counts = Counter(example.label for example in examples)
    if len(counts) < 2:
        raise UnreadableExamples("At least two different labels are needed.")
    if len(counts) > MAX_LABELS:
        raise UnreadableExamples(f"There are more than {MAX_LABELS} different labels.")
    rare = sorted(label for label, n in counts.items() if n < MIN_EXAMPLES_OF_LABEL)
    if rare:
        raise UnreadableExamples(
            f"Each label needs {MIN_EXAMPLES_OF_LABEL} examples; too few of: {', '.join(rare[:5])}."
        )
    if len(examples) <= MAX_EXAMPLES:
        return list(examples)
    # Of each label the same share, but never fewer than it needs.
    kept: list[Example] = []
    for label, n in sorted(counts.items()):
        wanted = max(MIN_EXAMPLES_OF_LABEL, n * MAX_EXAMPLES // len(examples))
        own = [example for example in examples if example.label == label]
        kept += [own[k * n // wanted] for k in range(min(n, wanted))]
    return kept


@dataclass(slots=True)
class _Loaded:
    """The model in memory, so that it is read only when another one counts."""

    digest: bytes | None = None
    version: int | None = None
    model: "Model | None" = None


@dataclass(frozen=True, slots=True)
class Categories:
    """Fits, keeps and applies a site's categories."""

    uow: UnitOfWork
    embeddings: Embeddings
    loaded: _Loaded = field(default_factory=_Loaded)

    async def fit(self, path: Path) -> Fitted:
        """Learn from a file and make that the model that counts, all or nothing.

        Raises:
            UnreadableExamples: nothing can be learnt from the file.
        """
        from backend.app.services.helpdesk import learning  # noqa: PLC0415  # NumPy costs a start

        given = await asyncio.to_thread(lambda: list(read_examples(path)))
        examples = _usable(given)
        texts = [example.text for example in examples]
        vectors = await self._vectors(texts)
        model, report = await asyncio.to_thread(
            learning.fit,
            texts,
            [example.label for example in examples],
            vectors,
            self.embeddings.name,
        )
        content = await asyncio.to_thread(model.to_bytes)
        digest = hashlib.sha256(content).digest()
        async with self.uow() as work:
            version = await work.category_models.replace(digest, content, examples=len(examples))
            await work.facts.tell(
                CategoriesFitted(version=version, examples=len(examples), labels=len(model.labels))
            )
        return Fitted(version, digest.hex(), report, len(given) - len(examples))

    async def _vectors(self, texts: Sequence[str]) -> list[Vector] | None:
        if self.embeddings.name is None:
            return None
        vectors: list[Vector] = []
        for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
            vectors += await self.embeddings.embed(texts[start : start + _EMBEDDED_AT_ONCE])
        return vectors

    async def forget(self) -> None:
        """Go back to the rules.

        Raises:
            NoCategoryModel: there is no model.
        """
        async with self.uow() as work:
            if not await work.category_models.forget():
                raise NoCategoryModel

    async def classify(self, text: str, facts: Mapping[str, str]) -> Classified:
        """How ``text`` and the answers in ``facts`` are graded, each with a confidence."""
        # A report says early what it is about; a huge text must not keep everybody else waiting.
        text = clean(text[:_MAX_TEXT_CHARACTERS])
        graded = grade(text, facts)
        now = await self._model()
        if now is None or now.model is None:
            return Classified(graded, graded.category.value, graded.category_confidence, None)
        model, version = now.model, now.version
        vector = await self._vector(text, model)
        ((label, confidence), *_) = model.confidences(text, vector)
        return Classified(graded, label, confidence, version)

    async def classification(self, text: str, facts: Mapping[str, str]) -> Classification:
        """The same as a ticket takes it: a fitted label counts when it is one of the product's
        own categories.
        """
        classified = await self.classify(text, facts)
        found = classified.graded.classification
        if classified.model is not None and classified.category in _OWN:
            return replace(found, category=Category(classified.category))
        return found

    async def _model(self) -> "_Loaded | None":
        """What counts now, with its version; None when the rules do."""
        async with self.uow() as work:
            digest = await work.category_models.digest()
            if digest == self.loaded.digest:
                return self.loaded if self.loaded.model is not None else None
            stored = await work.category_models.latest()
        read = _Loaded()
        if stored is not None:
            read = _Loaded(stored.digest, stored.version, await self._read(stored))
        # At once, so that no other call sees one's version with another's model.
        self.loaded.digest, self.loaded.version, self.loaded.model = (
            read.digest,
            read.version,
            read.model,
        )
        return read if read.model is not None else None

    async def _read(self, stored: StoredModel) -> "Model | None":
        from backend.app.services.helpdesk.learning import Model  # noqa: PLC0415  # see `fit`

        if hashlib.sha256(stored.content).digest() != stored.digest:
            get_logger("categories").error("category_model_damaged", version=stored.version)
            return None
        return await asyncio.to_thread(Model.from_bytes, stored.content)

    async def _vector(self, text: str, model: "Model") -> Vector | None:
        if model.embedding_name is None or model.embedding_name != self.embeddings.name:
            return None
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return (await self.embeddings.embed([text]))[0]
        except (AppError, TimeoutError) as error:
            get_logger("categories").warning("classified_by_words_only", **described(error))
            return None
