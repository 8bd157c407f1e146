"""What may be set, and what must not serve people."""

import pytest
from pydantic import SecretStr, ValidationError

from backend.app.core.settings import (
    DatabaseSettings,
    Environment,
    ServerSettings,
    Settings,
    UnsafeSettings,
)


def _settings(database: str | None = None, **server: object) -> Settings:
    return Settings(
        server=ServerSettings.model_validate(server),
        database=DatabaseSettings(url=SecretStr(database) if database else None),
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.53"])
def test_loopback_needs_nothing(host: str) -> None:
    _settings(host=host).refuse_if_unsafe()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "helpdesk.example.org"])
def test_other_machines_are_served_only_with_tls_or_a_word_for_it(host: str) -> None:
    with pytest.raises(UnsafeSettings, match="HELPDESK_HOST"):
        _settings(host=host).refuse_if_unsafe()

    _settings(host=host, public_url="https://help.example.org").refuse_if_unsafe()
    _settings(host=host, insecure_http=True).refuse_if_unsafe()


@pytest.mark.parametrize(
    ("database", "server", "named"),
    [
        (None, {}, "DATABASE_URL"),
        ("postgresql://db/helpdesk", {"insecure_http": True}, "HELPDESK_INSECURE_HTTP"),
    ],
)
def test_production_refuses_what_is_fit_for_one_machine_only(
    database: str | None, server: dict[str, object], named: str
) -> None:
    with pytest.raises(UnsafeSettings, match=named):
        _settings(database, environment=Environment.PRODUCTION, **server).refuse_if_unsafe()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_any_spelling_of_postgresql_gets_the_async_driver(scheme: str) -> None:
    url = DatabaseSettings(url=SecretStr(f"{scheme}://u:p@db/helpdesk")).url

    assert url is not None
    assert url.get_secret_value() == "postgresql+asyncpg://u:p@db/helpdesk"


def test_another_database_is_refused_without_showing_its_password() -> None:
    with pytest.raises(ValidationError) as refused:
        DatabaseSettings(url=SecretStr("mysql://u:hunter2@db/helpdesk"))

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("url", ["help.example.org", "ftp://x", "https://x/path", "https://"])
def test_a_public_address_is_an_origin(url: str) -> None:
    with pytest.raises(ValidationError):
        ServerSettings(public_url=url)


def test_proxies_are_networks_apart_by_commas() -> None:
    settings = ServerSettings.model_validate({"trusted_proxies": "10.0.0.0/8, ::1"})

    assert [str(network) for network in settings.trusted_proxies] == ["10.0.0.0/8", "::1/128"]


def test_the_environment_is_read_under_each_groups_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    # The environment is what is under test here; there is nothing to hand in instead.
    monkeypatch.setenv("HELPDESK_PORT", "9001")
    monkeypatch.setenv("HELPDESK_AUTH_SIGN_IN_ATTEMPTS", "3")
    monkeypatch.setenv("DATABASE_POOL_SIZE", "7")

    settings = Settings()

    assert settings.server.port == 9001
    assert settings.identity.sign_in_attempts == 3
    assert settings.database.pool_size == 7
