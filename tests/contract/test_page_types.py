"""The page's types are generated from the server's own description, and fresh."""

import json
import shutil
import subprocess
from pathlib import Path

from backend.app.main import create_app
from backend.tests.support.plugin import settings_for
from scripts import provision

ROOT = Path(__file__).resolve().parents[2]
FRONTEND = ROOT / "frontend-vue"


def _described() -> dict[str, object]:
    return create_app(
        settings_for("postgresql+asyncpg://nowhere/x", Path("/nonexistent"))
    ).openapi()


def test_the_committed_types_are_what_the_server_describes(tmp_path: Path) -> None:
    node = provision.ensure_node()
    provision.ensure_node_modules(FRONTEND, node)
    description = tmp_path / "openapi.json"
    description.write_text(json.dumps(_described(), indent=2, sort_keys=True))
    committed = FRONTEND / "src" / "api" / "schema.d.ts"
    kept = tmp_path / "schema.d.ts"
    shutil.copy(committed, kept)
    try:
        subprocess.run(
            [str(node.folder / "npm"), "run", "--silent", "generate:api", "--", str(description)],
            cwd=FRONTEND,
            env=node.environment(),
            check=True,
        )
        fresh = committed.read_text()
    finally:
        shutil.copy(kept, committed)

    assert fresh == kept.read_text(), "stale: npm run generate:api, with python -m scripts.openapi"


def test_every_operation_has_an_id_a_sentence_and_a_tag() -> None:
    paths = _described()["paths"]
    assert isinstance(paths, dict)
    operations = [one for path in paths.values() for one in path.values()]

    assert len({one["operationId"] for one in operations}) == len(operations) > 12
    assert all(one.get("description") and one.get("tags") for one in operations)
