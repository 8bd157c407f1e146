"""Learning a site's categories from labelled texts: multinomial logistic regression over TF-IDF of
words and word pairs beside the embedding, with a temperature that makes its confidences honest.

Fitted in the dual: with a few thousand examples and tens of thousands of words, the matrix of the
examples' products is small, and everything is deterministic. NumPy alone does it; scikit-learn
would add 120 MB and a second of import for the same figures.
"""

import io
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.app.domain.embeddings import DIMENSIONS, Vector

Floats = npt.NDArray[np.float32]

_WORD = re.compile(r"\w\w+")
_MAX_CHARACTERS = 4000
_MIN_EXAMPLES_WITH_TERM = 2
_MAX_TERMS = 40_000
#: Terms of more examples than this are multiplied as a block, rarer ones one by one.
_COMMON = 200
_BLOCK = 500
#: The embedding weighs as two lexical halves; weight of the penalty; both chosen on dev data.
_EMBEDDING_SCALE = 2.0
_PENALTY = 0.2
_STEPS = 200
_FOLDS = 5
_TEMPERATURES = np.geomspace(0.4, 2.5, 43)


def terms_of(text: str) -> Counter[str]:
    """Words and neighbouring pairs of a text's beginning, in small letters."""
    words = _WORD.findall(text[:_MAX_CHARACTERS].casefold())
    counted = Counter(words)
    counted.update(f"{first} {second}" for first, second in pairwise(words))
    return counted


@dataclass(frozen=True, slots=True)
class Report:
    """How well a fit did on folds that were left out of it."""

    examples: int
    labels: int
    accuracy: float
    macro_f1: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted model. ``embedding_name``: what made its vectors; None when it uses none."""

    labels: tuple[str, ...]
    terms: dict[str, int]
    idf: Floats
    term_weights: Floats
    vector_weights: Floats
    bias: Floats
    temperature: float
    embedding_name: str | None

    def confidences(self, text: str, vector: Vector | None) -> list[tuple[str, float]]:
        """Every label with how likely it is, the most likely first."""
        logits = self.bias.astype(np.float64)
        numbers, weights = _weighted(terms_of(text), self.terms, self.idf)
        if numbers:
            logits = logits + weights @ self.term_weights[numbers]
        if vector is not None and self.embedding_name is not None:
            scaled = np.asarray(vector, np.float32) * _EMBEDDING_SCALE
            logits = logits + scaled @ self.vector_weights
        likely = _softmax(logits[None, :] / self.temperature)[0]
        order = sorted(range(len(self.labels)), key=lambda k: (-likely[k], k))
        return [(self.labels[k], float(likely[k])) for k in order]

    def to_bytes(self) -> bytes:
        """As it is stored."""
        written = io.BytesIO()
        np.savez_compressed(
            written,
            labels=np.array(self.labels),
            terms=np.array(list(self.terms)) if self.terms else np.zeros(0, "U1"),
            idf=self.idf,
            term_weights=self.term_weights.astype(np.float16),
            vector_weights=self.vector_weights,
            bias=self.bias,
            temperature=np.array(self.temperature),
            embedding_name=np.array(self.embedding_name or ""),
        )
        return written.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        """What `to_bytes` wrote; ValueError when it is something else."""
        with np.load(io.BytesIO(content), allow_pickle=False) as read:
            return cls(
                labels=tuple(str(label) for label in read["labels"]),
                terms={str(term): number for number, term in enumerate(read["terms"])},
                idf=read["idf"],
                term_weights=read["term_weights"].astype(np.float32),
                vector_weights=read["vector_weights"],
                bias=read["bias"],
                temperature=float(read["temperature"]),
                embedding_name=str(read["embedding_name"]) or None,
            )


def _weighted(
    counted: Counter[str], terms: dict[str, int], idf: Floats
) -> tuple[list[int], Floats]:
    """TF-IDF of a text's known terms, of length 1."""
    known = [(terms[term], 1 + math.log(count)) for term, count in counted.items() if term in terms]
    numbers = [number for number, _ in known]
    weights = np.array([tf for _, tf in known], np.float32) * idf[numbers]
    return numbers, weights / max(float(np.linalg.norm(weights)), 1e-9)


def _softmax(logits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    likely: npt.NDArray[Any] = raised / raised.sum(axis=1, keepdims=True)
    return likely


def _products(columns: list[tuple[list[int], list[float]]], n: int) -> Floats:
    """The matrix of all examples' lexical products, from the terms' columns."""
    products = np.zeros((n, n), np.float32)
    common = [column for column in columns if len(column[0]) > _COMMON]
    for start in range(0, len(common), _BLOCK):
        part = common[start : start + _BLOCK]
        block = np.zeros((n, len(part)), np.float32)
        for k, (rows, weights) in enumerate(part):
            block[rows, k] = weights
        products += block @ block.T
    for rows, weights in columns:
        if len(rows) <= _COMMON:
            column = np.asarray(weights, np.float32)
            products[np.ix_(rows, rows)] += np.outer(column, column)
    return products


def _duals(products: Floats, wanted: Floats) -> Floats:
    """Weights of the examples, by accelerated gradient steps in the space of functions."""
    guess = np.ones(len(products), np.float32)
    for _ in range(30):
        guess = products @ guess
        guess /= max(float(np.linalg.norm(guess)), 1e-9)
    step = 1 / (0.5 * float(guess @ products @ guess) * 1.05 + _PENALTY)
    here = np.zeros_like(wanted)
    ahead, momentum = here, 1.0
    for _ in range(_STEPS):
        slope = _softmax(products @ ahead) - wanted + _PENALTY * ahead
        after = (ahead - step * slope).astype(np.float32)
        next_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = after + (momentum - 1) / next_momentum * (after - here)
        here, momentum = after, next_momentum
    return here


def calibration_error(
    confidence: npt.NDArray[Any], right: npt.NDArray[Any], bins: int = 10
) -> float:
    """Mean distance between confidence and share of right answers, over equal bins."""
    error = 0.0
    for k in range(bins):
        inside = (confidence > k / bins) & (confidence <= (k + 1) / bins)
        if inside.any():
            distance = abs(float(confidence[inside].mean()) - float(right[inside].mean()))
            error += float(inside.mean()) * distance
    return error


def macro_f1(truth: npt.NDArray[Any], said: npt.NDArray[Any], labels: int) -> float:
    """Mean over the labels of the harmonic mean of precision and recall."""
    scores = []
    for k in range(labels):
        both = float(((truth == k) & (said == k)).sum())
        scores.append(2 * both / max(1.0, float((truth == k).sum() + (said == k).sum())))
    return sum(scores) / max(1, labels)


def _left_out(products: Floats, wanted: Floats, truth: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Logits of every example by a fit that did not see it; folds hold each label evenly."""
    fold = np.zeros(len(truth), np.int64)
    for label in np.unique(truth):
        rows = np.flatnonzero(truth == label)
        fold[rows] = np.arange(len(rows)) % _FOLDS
    logits = np.zeros_like(wanted)
    for k in range(_FOLDS):
        out, used = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        duals = _duals(products[np.ix_(used, used)], wanted[used])
        logits[out] = products[np.ix_(out, used)] @ duals
    return logits


def _temperature(logits: npt.NDArray[Any], truth: npt.NDArray[Any]) -> float:
    """What logits are divided by so that they say how often they are right."""
    rows = np.arange(len(truth))
    losses = [
        -float(np.log(_softmax(logits / t)[rows, truth] + 1e-12).mean()) for t in _TEMPERATURES
    ]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def fit(
    texts: Sequence[str],
    labels: Sequence[str],
    vectors: Sequence[Vector] | None,
    embedding_name: str | None,
) -> tuple[Model, Report]:
    """A model of labelled texts, and how it does on examples that it did not see."""
    names = tuple(sorted(set(labels)))
    truth = np.array([names.index(label) for label in labels])
    n = len(texts)
    counted = [terms_of(text) for text in texts]
    frequency = Counter(term for one in counted for term in one)
    kept = [t for t, df in frequency.items() if df >= _MIN_EXAMPLES_WITH_TERM]
    kept = sorted(kept, key=lambda term: (-frequency[term], term))[:_MAX_TERMS]
    terms = {term: number for number, term in enumerate(kept)}
    idf = np.array([math.log((1 + n) / (1 + frequency[t])) + 1 for t in kept], np.float32)
    columns: list[tuple[list[int], list[float]]] = [([], []) for _ in kept]
    for row, one in enumerate(counted):
        numbers, weights = _weighted(one, terms, idf)
        for number, weight in zip(numbers, weights, strict=True):
            columns[number][0].append(row)
            columns[number][1].append(float(weight))
    # One more for the bias, which is learnt as a feature that every example has.
    products = _products(columns, n) + np.float32(1)
    scaled = np.zeros((n, DIMENSIONS), np.float32)
    if vectors is not None:
        scaled = np.asarray(vectors, np.float32) * _EMBEDDING_SCALE
        products += scaled @ scaled.T
    wanted = np.eye(len(names), dtype=np.float32)[truth]
    logits = _left_out(products, wanted, truth)
    temperature = _temperature(logits, truth)
    likely = _softmax(logits / temperature)
    said = likely.argmax(axis=1)
    report = Report(
        examples=n,
        labels=len(names),
        accuracy=float((said == truth).mean()),
        macro_f1=macro_f1(truth, said, len(names)),
        calibration_error=calibration_error(likely.max(axis=1), said == truth),
    )
    duals = _duals(products, wanted)
    term_weights = np.zeros((len(kept), len(names)), np.float32)
    for number, (rows, values) in enumerate(columns):
        term_weights[number] = np.asarray(values, np.float32) @ duals[rows]
    model = Model(
        labels=names,
        terms=terms,
        idf=idf,
        term_weights=term_weights,
        vector_weights=(scaled.T @ duals).astype(np.float32),
        bias=duals.sum(axis=0),
        temperature=temperature,
        embedding_name=embedding_name if vectors is not None else None,
    )
    return model, report
