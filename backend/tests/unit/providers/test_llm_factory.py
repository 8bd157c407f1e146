"""What is said when a model is set and cannot be had."""

import sys

import pytest

from backend.app.core.model_settings import ModelSettings
from backend.app.core.settings import UnsafeSettings
from backend.app.providers.llm.factory import ModelLibraryMissing, language_model


@pytest.mark.parametrize(
    ("provider", "package"),
    [
        ("bedrock", "langchain_aws"),
        ("openai", "langchain_openai"),
        ("anthropic", "langchain_anthropic"),
    ],
)
async def test_a_missing_library_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    # Stands for an installation without the extra: an environment of its own would take minutes.
    monkeypatch.setitem(sys.modules, package, None)
    settings = ModelSettings.model_validate({"provider": provider, "default": "m"})
    with pytest.raises(ModelLibraryMissing) as missing:
        async with language_model(settings):
            pass

    assert package.replace("_", "-") in str(missing.value)
    assert "requirements-live.lock" in str(missing.value)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"provider": "openai"}, "HELPDESK_MODEL_DEFAULT"),
        ({"provider": "openai", "supervisor": "m", "writer": "m"}, "HELPDESK_MODEL_DEFAULT"),
        (
            {"provider": "bedrock", "default": "m", "aws_access_key_id": "x"},
            "HELPDESK_MODEL_AWS_SECRET_ACCESS_KEY",
        ),
    ],
)
async def test_what_is_not_set_is_named(given: dict[str, str], name: str) -> None:
    with pytest.raises(UnsafeSettings, match=name):
        async with language_model(ModelSettings.model_validate(given)):
            pass


def test_a_role_has_its_own_model_or_the_default() -> None:
    settings = ModelSettings.model_validate({"default": "big", "classifier": "small"})

    assert [settings.model_of(role) for role in ("supervisor", "classifier")] == ["big", "small"]


def test_secrets_are_not_shown() -> None:
    given = {"api_key": "tell-nobody", "aws_secret_access_key": "nor-this"}

    assert not {"tell-nobody", "nor-this"} & set(
        repr(ModelSettings.model_validate(given)).split("'")
    )
