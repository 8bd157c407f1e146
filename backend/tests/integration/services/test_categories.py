"""A site's categories: fitted, replaced all or nothing, used, forgotten."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.domain.sessions import Category
from backend.app.services.helpdesk.categories import NoCategoryModel, UnreadableExamples


def _examples(folder: Path, labels: dict[str, str]) -> Path:
    path = folder / "examples.jsonl"
    lines = [
        {"text": f"{words} number {k}", "label": label}
        for label, words in labels.items()
        for k in range(6)
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


_OURS = {"payroll": "my salary slip is wrong", "canteen": "the lunch menu is missing"}


async def test_a_fit_names_a_text_by_the_sites_own_categories(
    container: Container, tmp_path: Path
) -> None:
    fitted = await container.categories.fit(_examples(tmp_path, _OURS))
    found = await container.categories.classify("lunch menu", {})

    assert (found.category, found.model) == ("canteen", fitted.version)
    assert 0.5 < found.category_confidence <= 1
    assert len(fitted.digest) == 64
    # Not a category that a ticket can have: the rules name that one.
    assert (await container.categories.classification("lunch today", {})).category is Category.OTHER


async def test_a_label_that_is_one_of_the_products_own_is_the_tickets(
    container: Container, tmp_path: Path
) -> None:
    labels = {"hardware": "the gizmo is broken", "network": "the frobnicator is offline"}
    await container.categories.fit(_examples(tmp_path, labels))
    found = await container.categories.classification("my frobnicator", {})

    assert found.category is Category.NETWORK


async def test_a_new_fit_takes_the_place_of_the_old_one(
    container: Container, tmp_path: Path
) -> None:
    first = await container.categories.fit(_examples(tmp_path, _OURS))
    second = await container.categories.fit(_examples(tmp_path, {**_OURS, "it": "laptop"}))
    async with container.engine.connect() as connection:
        kept = await connection.scalar(sa.text("SELECT count(*) FROM category_models"))

    assert second.version > first.version
    assert kept == 1
    assert (await container.categories.classify("laptop", {})).category == "it"


async def test_a_bad_file_changes_nothing(container: Container, tmp_path: Path) -> None:
    fitted = await container.categories.fit(_examples(tmp_path, _OURS))
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "a", "label": "b"}\nnonsense\n')
    with pytest.raises(UnreadableExamples, match="Line 2"):
        await container.categories.fit(bad)

    assert (await container.categories.classify("lunch", {})).model == fitted.version


async def test_a_damaged_model_is_told_and_the_rules_hold(
    container: Container, tmp_path: Path
) -> None:
    await container.categories.fit(_examples(tmp_path, _OURS))
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text("UPDATE category_models SET content = 'x', digest = sha256('y')")
        )
    found = await container.categories.classify("printer has no toner", {})

    assert (found.category, found.model) == ("hardware", None)


async def test_forgotten_the_rules_hold_again(container: Container, tmp_path: Path) -> None:
    await container.categories.fit(_examples(tmp_path, _OURS))
    await container.categories.classify("lunch", {})
    await container.categories.forget()

    assert (await container.categories.classify("lunch", {})).model is None
    with pytest.raises(NoCategoryModel):
        await container.categories.forget()
