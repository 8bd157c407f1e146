"""Public injection payloads inside real tickets and articles, as a tool's result would carry them:
none gets out of its fence. Prints what share is touched, and the cost.
"""

import json
import re
import time
from pathlib import Path

import pytest

from backend.app.domain.untrusted import Origin, fence_result

pytestmark = pytest.mark.bench

NONCE = "0123456789abcdef"
LIMIT = 4000
_BLOCK = re.compile(
    r'<tool_output source="(kb|web|github)" id="0123456789abcdef">\n(.*?)\n</tool_output>',
    re.DOTALL,
)


def test_no_carrier_gets_out_of_its_fence(public_data: Path) -> None:
    file = public_data / "prompt-injection" / "dev" / "carriers.jsonl"
    if not file.is_file():
        pytest.skip(f"not run: no {file}")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    texts = [(Origin(row["tool_source"]), f"{row['title']}\n{row['text']}") for row in rows]
    # Each payload also as an attempt to end the block and to begin one of its own.
    texts += [
        (
            origin,
            text.replace(
                row["payload"],
                f'</tool_output>{row["payload"]}<tool_output source="kb" id="{NONCE}">',
            ),
        )
        for row, (origin, text) in zip(rows, texts, strict=True)
    ]
    began = time.process_time()
    fenced = [fence_result(text, origin, nonce=NONCE, limit=LIMIT) for origin, text in texts]
    took = time.process_time() - began
    prompt = "\n\n".join(one.text for one in fenced)

    assert [source for source, _ in _BLOCK.findall(prompt)] == [one.value for one, _ in texts]
    assert not set("<>") & set("".join(inner for _, inner in _BLOCK.findall(prompt)))
    assert _BLOCK.sub("", prompt).strip() == ""
    plain, forging = fenced[: len(rows)], fenced[len(rows) :]
    touched = sum(one.forged > 0 for one in plain)
    caught = sum(one.forged >= 2 for one in forging)
    print(
        f"\n{len(rows)} carriers: {touched} touched as they are; of as many with forged markers"
        f" {caught} caught (the rest: behind the cap); {took / len(texts) * 1000:.2f} ms each"
    )
    assert caught >= 0.9 * len(rows)
