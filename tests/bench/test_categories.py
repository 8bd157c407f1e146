"""How well a site's categories are learnt, and what the confidences are worth.

A public set of support questions with 22 topics, the English rows of its dev half; five folds, each
scored by a fit that did not see it. Run with ``-s``.
"""

import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from backend.app.services.helpdesk import learning
from tests.bench.cached_embeddings import CachedEmbeddings
from tests.bench.resampling import mean_and_interval

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3000)]

_FOLDS = 5


def _rows(folder: Path) -> tuple[list[str], list[str]]:
    with (folder / "dev" / "rows.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    english = [row for row in rows if row["locale"] == "en-US"]
    texts = [f"{row['title']}\n{row['body']}" for row in english]
    return texts, [row["topic"] for row in english]


def _folds(labels: list[str]) -> np.ndarray:
    """The fold of each row: every label spread evenly."""
    seen: Counter[str] = Counter()
    folds = []
    for label in labels:
        folds.append(seen[label] % _FOLDS)
        seen[label] += 1
    return np.array(folds)


async def test_a_sites_topics_are_learnt_with_honest_confidences(public_data: Path) -> None:
    folder = public_data / "tb-triage"
    if not (folder / "dev" / "rows.jsonl").is_file():
        pytest.skip(f"not run: no tb-triage in {public_data}")
    texts, labels = _rows(folder)
    embeddings = CachedEmbeddings()
    vectors = await embeddings.embed(texts)
    embeddings.keep()
    names = sorted(set(labels))
    truth = np.array([names.index(label) for label in labels])
    folds = _folds(labels)
    figures = {}
    for how, given in (("words", None), ("words and meaning", vectors)):
        said, sure = np.zeros(len(texts), int), np.zeros(len(texts))
        began = time.process_time()
        for k in range(_FOLDS):
            used = np.flatnonzero(folds != k).tolist()
            model, _ = learning.fit(
                [texts[n] for n in used],
                [labels[n] for n in used],
                [given[n] for n in used] if given else None,
                "m" if given else None,
            )
            for n in np.flatnonzero(folds == k).tolist():
                label, sure[n] = model.confidences(texts[n], given[n] if given else None)[0]
                said[n] = names.index(label)
        took = (time.process_time() - began) / _FOLDS
        right = said == truth
        f1 = learning.macro_f1(truth, said, len(names))
        error = learning.calibration_error(sure, right)
        dice = np.random.default_rng(0)
        draws = [dice.integers(0, len(truth), len(truth)) for _ in range(2000)]
        low, high = np.percentile(
            [learning.macro_f1(truth[d], said[d], len(names)) for d in draws], [2.5, 97.5]
        )
        order = np.argsort(sure)
        kept = {
            share: float(right[order[int(share * len(order)) :]].mean())
            for share in (0.0, 0.1, 0.2, 0.3, 0.5)
        }
        print(
            f"\ntb-triage, {how}: n={len(texts)} macro-F1 {f1:.3f} [{low:.3f}, {high:.3f}]"
            f" accuracy {mean_and_interval(right.astype(float).tolist())}"
            f" calibration error {error:.3f}; {took:.1f} CPU s a fold"
            f"\n  accuracy when the least sure share goes to a person: "
            + ", ".join(f"{share:.0%} {value:.3f}" for share, value in kept.items())
        )
        figures[how] = (f1, error)

    assert figures["words and meaning"][0] > figures["words"][0]
    assert figures["words and meaning"][0] >= 0.60
    assert figures["words and meaning"][1] <= 0.05
