"""One behaviour for every family of models: real clients against providers on loopback."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from backend.app.domain.language_models import (
    LanguageModel,
    ModelAnswer,
    ModelCall,
    ModelFailed,
    ModelFault,
    ModelRole,
)
from backend.app.providers.llm.factory import language_model
from backend.app.services.helpdesk_graph.shapes import Graded, decided_among
from backend.tests.support.models import FakeModel, Reply, fake_model, says, until

FAMILIES = ("bedrock", "openai", "anthropic")
GRADED = {"severity": "high", "impact": "Team", "category": "access"}


def call(seconds: float = 5.0) -> ModelCall:
    return ModelCall(
        role=ModelRole.CLASSIFIER,
        system="Grade.",
        user="<conversation>\nIt answers 403.\n</conversation>",
        schema=Graded.model_json_schema(),
        max_tokens=99,
        seconds=seconds,
    )


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def provider(family: str) -> Iterator[FakeModel]:
    with fake_model(family, lambda _: says(**GRADED)) as model:
        yield model


@asynccontextmanager
async def client(provider: FakeModel, **settings: object) -> AsyncIterator[LanguageModel]:
    async with language_model(provider.settings(**settings)) as model:
        assert model is not None
        yield model


async def asked(provider: FakeModel, seconds: float = 5.0, **settings: object) -> ModelAnswer:
    async with client(provider, **settings) as model:
        return await model.ask(call(seconds))


async def test_an_answer_comes_with_its_cost(provider: FakeModel) -> None:
    answer = await asked(provider)

    assert answer.data == GRADED
    assert answer.usage.total == sum(provider.tokens.values()) > 0
    assert provider.bad == []
    (seen,) = provider.asked
    assert (seen.method, seen.max_tokens, seen.system) == ("json_schema", 99, "Grade.")


@pytest.mark.parametrize(
    ("refused", "methods"),
    [
        (frozenset(), ["json_schema"] * 2),
        (frozenset({"json_schema"}), ["json_schema", "tool", "tool"]),
        (frozenset({"json_schema", "tool"}), ["json_schema", "tool", "words", "words"]),
    ],
)
async def test_what_the_endpoint_takes_is_found_out_once(
    provider: FakeModel, refused: frozenset[str], methods: list[str]
) -> None:
    provider.refused = refused
    async with client(provider) as model:
        answers = [await model.ask(call()) for _ in range(2)]

    assert [one.data for one in answers] == [GRADED] * 2
    assert [one.method for one in provider.asked] == methods


async def test_prose_leads_to_the_next_way_of_asking_and_is_paid_for(provider: FakeModel) -> None:
    provider.script = lambda seen: (
        says(**GRADED) if seen.method == "words" else Reply("I would rather talk.")
    )
    answer = await asked(provider)

    assert answer.data == GRADED
    assert answer.usage.total == sum(provider.tokens.values())
    assert [one.method for one in provider.asked] == ["json_schema", "tool", "words"]


async def test_an_endpoint_that_only_talks_costs_one_call_a_question_from_then_on(
    provider: FakeModel,
) -> None:
    provider.script = lambda _: Reply("I would rather talk.")
    async with client(provider) as model:
        for _ in range(4):
            with pytest.raises(ModelFailed):
                await model.ask(call())
        provider.script = lambda _: says(**GRADED)
        answer = await model.ask(call())

    methods = [one.method for one in provider.asked]
    assert methods[:3] == ["json_schema", "tool", "words"]
    assert sorted(methods[3:6]) == sorted(methods[:3])  # by turns, so that the right one comes up
    assert (answer.data, len(methods)) == (GRADED, 7)


async def test_an_object_among_words_is_found(provider: FakeModel) -> None:
    provider.script = lambda _: Reply('Sure!\n```json\n{"severity": "low"}\n```')

    assert (await asked(provider)).data == {"severity": "low"}


#: What comes back, and what it counts as; where several are named the libraries differ.
_FAILURES = (
    (Reply("no object"), {ModelFault.UNUSABLE}),
    (Reply(""), {ModelFault.UNUSABLE}),
    (Reply("[1, 2]"), {ModelFault.UNUSABLE}),
    (Reply("{" * 5000), {ModelFault.UNUSABLE}),
    (Reply('{"severity": ', stop="length"), {ModelFault.TRUNCATED}),
    (Reply("I cannot help with that.", stop="refusal"), {ModelFault.DECLINED}),
    (Reply(status=401), {ModelFault.NOT_ALLOWED}),
    (Reply(status=403), {ModelFault.NOT_ALLOWED}),
    (Reply(status=404), {ModelFault.NOT_ALLOWED}),
    (Reply(status=429), {ModelFault.THROTTLED}),
    (Reply(status=500), {ModelFault.BROKEN}),
    (Reply(status=503), {ModelFault.THROTTLED}),
    (Reply(does="drop"), {ModelFault.UNREACHABLE}),
    (Reply(does="garbage"), {ModelFault.UNUSABLE, ModelFault.BROKEN}),
)


async def test_every_failure_has_a_name_and_its_cost(provider: FakeModel) -> None:
    async with client(provider) as model:
        for reply, faults in _FAILURES:
            provider.tokens.clear()
            provider.script = lambda _, reply=reply: reply  # type: ignore[misc]
            with pytest.raises(ModelFailed) as failed:
                await model.ask(call())

            assert failed.value.fault in faults, reply
            assert failed.value.usage.total == sum(provider.tokens.values()), reply


async def test_a_throttled_question_is_put_once_more(provider: FakeModel) -> None:
    provider.script = lambda _: Reply(status=429) if len(provider.asked) == 1 else says(**GRADED)

    assert (await asked(provider)).data == GRADED


async def test_a_writing_that_lacks_credentials_is_not_repeated(provider: FakeModel) -> None:
    provider.script = lambda _: Reply(status=401)
    with pytest.raises(ModelFailed):
        await asked(provider)

    assert len(provider.asked) == 1


async def test_nobody_listens(family: str) -> None:
    with fake_model(family, lambda _: says()) as gone:
        settings = gone.settings()
    async with language_model(settings) as model:
        assert model is not None
        with pytest.raises(ModelFailed) as failed:
            await model.ask(call())

    assert failed.value.fault is ModelFault.UNREACHABLE


async def test_a_silent_provider_is_waited_for_as_long_as_the_call_says(
    provider: FakeModel,
) -> None:
    provider.script = lambda _: Reply(does="hang")
    with pytest.raises(ModelFailed) as failed:
        await asked(provider, seconds=0.3)

    assert failed.value.fault is ModelFault.TIMED_OUT


async def test_a_late_answer_is_dropped_and_the_next_call_gets_its_own(provider: FakeModel) -> None:
    provider.script = lambda _: (
        Reply({**GRADED, "severity": "low"}, after=0.6)
        if len(provider.asked) == 1
        else says(**GRADED)
    )
    async with client(provider) as model:
        with pytest.raises(ModelFailed):
            await model.ask(call(seconds=0.2))
        assert (await model.ask(call())).data == GRADED


async def test_hanging_calls_take_nobody_elses_threads(provider: FakeModel) -> None:
    """More hang than the loop's own pool has threads, and still more wait for their turn."""
    provider.script = lambda _: Reply(does="hang")
    async with client(provider, at_once=12, timeout_seconds=30) as model:
        calls = [asyncio.ensure_future(model.ask(call(seconds=30))) for _ in range(15)]
        await until(lambda: provider.hanging == 12)
        assert await asyncio.to_thread(lambda: 7) == 7
        assert provider.hanging == 12
        assert not any(one.done() for one in calls)
        for one in calls:
            one.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        provider.closing.set()


async def test_by_rules_there_is_no_model() -> None:
    with fake_model("openai", lambda _: says()) as unused:
        settings = unused.settings().model_copy(update={"provider": "rules"})
    async with language_model(settings.model_validate({})) as model:
        assert model is None


def test_the_form_of_a_decision_holds_the_allowed_alone() -> None:
    schema = decided_among(["classify", "write_draft"]).model_json_schema()

    assert schema["properties"]["next_action"]["enum"] == ["classify", "write_draft"]
    assert schema["required"] == ["next_action", "query", "reason"]
    assert schema["additionalProperties"] is False
