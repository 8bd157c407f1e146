"""The embedding model: real, missing, and not the file that is expected."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.app.core.semantic_settings import SemanticSettings
from backend.app.domain.embeddings import DIMENSIONS, Vector
from backend.app.providers.embeddings import MiniLM, SemanticOff


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def model() -> Iterator[MiniLM]:
    """The model as it ships."""
    made = MiniLM(SemanticSettings())
    yield made
    made.close()


async def test_what_means_the_same_is_near_and_what_does_not_is_far(model: MiniLM) -> None:
    printer, same, other = await model.embed(
        ["The printer prints blank pages", "Empty sheets come out of our printer", "VPN timeout"]
    )

    assert len(printer) == DIMENSIONS
    assert _cosine(printer, printer) == pytest.approx(1, abs=1e-5)
    assert _cosine(printer, same) > 0.6 > 0.3 > _cosine(printer, other)


async def test_a_vector_does_not_depend_on_its_company(model: MiniLM) -> None:
    alone = (await model.embed(["short"]))[0]
    among = (await model.embed(["a much longer text " * 50, "short", "x"]))[1]

    assert _cosine(alone, among) > 0.99


async def test_odd_texts_have_vectors_too(model: MiniLM) -> None:
    odd = ["", " ", "\x00", "\ud83d\ude00", "日本語", "x" * 200_000, "a" * 150, "\n\t"]

    assert [len(vector) for vector in await model.embed(odd)] == [DIMENSIONS] * len(odd)
    assert await model.embed([]) == []


async def test_calls_at_once_wait_their_turn(model: MiniLM) -> None:
    first, second = await asyncio.gather(model.embed(["one"]), model.embed(["one"]))

    assert first == second


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"enabled": False}, "switched off"),
        ({"model_path": Path("/nowhere/model.onnx")}, "model.onnx is missing"),
        ({"vocabulary_path": Path("/nowhere/vocabulary.txt")}, "vocabulary.txt is missing"),
    ],
)
async def test_a_missing_model_is_told(settings: dict[str, object], why: str) -> None:
    model = MiniLM(SemanticSettings.model_validate(settings))

    assert model.name is None
    assert why in str(model.missing)
    with pytest.raises(SemanticOff):
        await model.embed(["x"])


async def test_another_file_is_refused_and_from_then_on_the_model_is_missing(
    tmp_path: Path,
) -> None:
    forged = tmp_path / "model.onnx"
    forged.write_bytes(b"not the model")
    model = MiniLM(SemanticSettings(model_path=forged))
    assert model.missing is None

    with pytest.raises(SemanticOff):
        await model.embed(["x"])
    assert model.name is None
    assert "sha256" in str(model.missing)
