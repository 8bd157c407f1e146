"""The public sets' questions, dev halves, whole as written, with the articles that answer them."""

import json
from pathlib import Path


def questions_of(folder: Path) -> list[tuple[str, set[str]]]:
    """Question and article keys, of those that have a known article."""
    text = (folder / "dev" / "queries.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return [
        (
            " ".join(row.get(field) or "" for field in ("title", "body", "question")),
            set(row["relevant_ids"]),
        )
        for row in rows
        if row["relevant_ids"]
    ]
