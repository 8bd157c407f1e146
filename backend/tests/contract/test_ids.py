"""What every source of ids and secrets must honour."""

import re
from uuid import UUID

from backend.app.core.ids import IdSource, RandomIds


def assert_honours_the_port(source: IdSource) -> None:
    ids = {source.uuid() for _ in range(1000)}
    secrets = {source.secret() for _ in range(1000)}

    assert len(ids) == len(secrets) == 1000
    assert all(isinstance(one, UUID) for one in ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", secret) for secret in secrets)


def test_random_ids_honour_the_port() -> None:
    assert_honours_the_port(RandomIds())
