"""Public data for measuring: by BENCH_DATA, else beside the checkout; where absent, not run."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def public_data() -> Path:
    """The folder of data sets."""
    folder = Path(os.environ.get("BENCH_DATA", _BESIDE))
    if not (folder / "tb-kb" / "corpus.jsonl").is_file():
        pytest.skip(f"not run: no public data in {folder} (set BENCH_DATA)")
    return folder
