"""What people write: secrets are kept nowhere, and no characters break anything."""

import json
from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.support.agent import (
    A_DRAFT,
    CONFIRM,
    PREVIEW,
    RESUME,
    SENTINEL,
    START,
    answer_to,
    confirm,
    conversation,
    drafted,
    filed,
    reply,
    session_of,
    started,
)
from backend.tests.support.github import fake_github
from backend.tests.support.leaks import kept_words
from backend.tests.support.people import Person
from backend.tests.support.tracked import tracked

#: Each in words in which it is one.
SECRETS = {
    "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789": "my token is {}",
    "AKIAQ3EGRNUHD5XZ7KLM": "the access key is {}",
    "hda_Zk3v9QmT7xLw2RbN8sYpHc5D": "{} is what I signed in with",
    "Tr0ub4dor&3xyz": "my password is {}",
    "4111111111111111": "I paid by card {}",
}


async def _with_secrets(client: httpx.AsyncClient, told: list[str]) -> list[dict[str, Any]]:
    """A journey in which a secret is said wherever there is room for words."""
    body = conversation(f"{SENTINEL}. {told[0]}", f"{told[1]}. {SENTINEL} again")
    turns = [(await client.post(START, json=body)).json()]
    while turns[-1]["kind"] == "question":
        said = told[len(turns) % len(told)]
        turns.append((await reply(client, turns[-1], reply=f"since monday. {said}.")).json())
    turns.append((await reply(client, turns[-1], reply=". ".join(told))).json())
    return turns


async def test_secrets_are_kept_nowhere_and_shown_nowhere(
    client: httpx.AsyncClient, container: Container
) -> None:
    told = [words.format(secret) for secret, words in SECRETS.items()]
    turns = await _with_secrets(client, told)
    waiting = turns[-1]
    kept = await kept_words(container)
    draft = {
        **waiting["draft"],
        "title": f"Help, {told[3]}",
        "description": "\n\n".join([waiting["draft"]["description"], *told]),
    }
    preview = await client.post(PREVIEW, json={"session_id": waiting["session_id"], "draft": draft})
    refused = await confirm(client, waiting, draft=draft)
    edited = preview.json()
    last = await confirm(
        client, waiting, draft=edited["draft"], draft_digest=edited["draft_digest"]
    )
    await container.facts.read_all()
    log_dir = container.settings.observability.log_dir
    assert log_dir is not None
    lines = "".join(path.read_text() for path in log_dir.glob("*.jsonl"))
    everything = [kept, await kept_words(container), lines, json.dumps(turns)]
    everything += [preview.text, refused.text, last.text]

    assert last.json()["kind"] == "filed", last.text
    assert "[redacted: password]" in kept
    for secret in SECRETS:
        for text in everything:
            assert secret not in text


async def test_a_confirm_with_what_was_typed_files_what_was_shown(
    client: httpx.AsyncClient,
) -> None:
    turn = await drafted(client)
    draft = {**A_DRAFT, "title": "my password is Tr0ub4dor&3xyz", "description": "x  y\r\n\tz"}
    shown = (
        await client.post(PREVIEW, json={"session_id": turn["session_id"], "draft": draft})
    ).json()
    last = await confirm(client, turn, draft=draft, draft_digest=shown["draft_digest"])

    assert last.json()["kind"] == "filed"
    ticket = (await client.get(f"/api/tickets/{last.json()['ticket_id']}")).json()
    assert (ticket["title"], ticket["body"]) == (shown["draft"]["title"], shown["body_preview"])


async def test_a_title_at_its_limit_may_hold_a_secret(client: httpx.AsyncClient) -> None:
    turn = await drafted(client)
    title = f"{'x' * 93} my password is Tr0ub4dor&3"
    draft = {**A_DRAFT, "title": title, "description": f"{'y ' * 3980} my password is Tr0ub4dor&3"}
    assert len(title) <= 120
    shown = await client.post(PREVIEW, json={"session_id": turn["session_id"], "draft": draft})

    assert shown.status_code == 200
    assert "Tr0ub4dor" not in shown.text
    again = shown.json()
    assert (
        await confirm(client, turn, draft=again["draft"], draft_digest=again["draft_digest"])
    ).json()["kind"] == "filed"


async def test_mentions_references_and_markup_do_nothing_in_a_tickets_body(
    client: httpx.AsyncClient,
) -> None:
    hostile = (
        "@everyone see #1 and GH-2 <script>alert(1)</script> <!-- hidden -->"
        " ![x](http://evil.example/x.png) [go](javascript:alert(1))"
        "\n\n---\nagent_session: 00000000-0000-4000-8000-000000000000"
    )
    first = (await client.post(START, json=conversation(hostile, SENTINEL))).json()
    turn = (await reply(client, first, reply=f"My team. {hostile}")).json()
    while turn["kind"] == "question":
        turn = (await reply(client, turn, reply="I don't know")).json()
    last = (await confirm(client, turn)).json()
    body = (await client.get(f"/api/tickets/{last['ticket_id']}")).json()["body"]

    assert body == turn["body_preview"]
    for acting in ("<script", "<!--", "@everyone", "#1 ", "GH-2", "![x](", "](javascript:"):
        assert acting not in body
    assert body.count("agent_session:") == 1
    assert body.endswith("\n".join(body.splitlines()[-2:]))


NUL, HALF = "\x00", "\ud83d"


def _places(turn: dict[str, Any], text: str) -> list[tuple[str, dict[str, Any]]]:
    """Every place for words, with ``text`` in it."""
    named = {"session_id": turn["session_id"]}
    question = {"pending_question_id": turn["pending_question_id"]}
    drafts = [{**A_DRAFT, name: text} for name in ("title", "description")]
    return [
        (START, conversation(text)),
        (RESUME, answer_to(turn, reply=text)),
        (RESUME, answer_to(turn, choice=text)),
        (RESUME, {**named, "pending_question_id": text, "reply": "x"}),
        *((PREVIEW, {**named, "draft": draft}) for draft in drafts),
        *(
            (CONFIRM, {**named, **question, "draft": draft, "draft_digest": "0" * 64})
            for draft in drafts
        ),
    ]


@pytest.mark.parametrize("text", [NUL, "\x1b", HALF, f"x{HALF}", " \n ", "", "x" * 8001])
async def test_words_that_are_none_are_refused_and_the_session_goes_on(
    client: httpx.AsyncClient, text: str
) -> None:
    turn = await started(client)
    for path, body in _places(turn, text):
        answer = await client.post(path, content=json.dumps(body))
        assert answer.status_code == 422, (path, answer.text[:200])
        assert len(answer.content) < 4096
    assert (await reply(client, turn, choice="My team")).json()["kind"] == "draft_ready"


async def test_control_characters_among_words_are_taken_out(client: httpx.AsyncClient) -> None:
    first = (await client.post(START, json=conversation(f"Oracle{NUL} 403", SENTINEL))).json()
    turn = (await reply(client, first, reply=f"My{NUL} team\x1b")).json()
    draft = {**turn["draft"], "title": f"Ora{NUL}cle", "description": f"4{NUL}03"}
    shown = await client.post(PREVIEW, json={"session_id": turn["session_id"], "draft": draft})

    assert shown.status_code == 200
    assert (shown.json()["draft"]["title"], shown.json()["draft"]["description"]) == (
        "Oracle",
        "403",
    )


async def test_a_blank_last_message_is_not_taken_for_the_question(
    client: httpx.AsyncClient,
) -> None:
    turn = await started(client, SENTINEL, " \n ")

    assert turn["kind"] == "question"
    assert turn["debug_trace"][0]["action"] == "search_duplicates"


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b'{"session_id": NaN}',
        b'{"session_id": Infinity}',
        b'"\\ud83d"',
        b"[" * 10_000,
        b'{"conversation": [' + b'{"role": "x"},' * 10_000 + b"1]}",
        b'{"conversation": 1' + b"0" * 400 + b"}",
        b"null",
        b"",
    ],
)
@pytest.mark.parametrize("path", [START, RESUME, CONFIRM, PREVIEW])
async def test_what_is_no_request_is_refused_in_few_words(
    client: httpx.AsyncClient, path: str, content: bytes
) -> None:
    answer = await client.post(path, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422, answer.text[:200]
    assert len(answer.content) < 4096


async def test_a_long_report_is_drafted_shown_and_filed_whole(client: httpx.AsyncClient) -> None:
    words = " ".join(f"word{n}" for n in range(900))
    turn = (await client.post(START, json=conversation(*[words] * 3, SENTINEL))).json()
    while turn["kind"] == "question":
        turn = (await reply(client, turn, reply=words[:3900])).json()
    last = await confirm(client, turn)

    assert last.json()["kind"] == "filed", last.text
    ticket = (await client.get(f"/api/tickets/{last.json()['ticket_id']}")).json()
    assert ticket["body"] == turn["body_preview"]
    assert len(ticket["body"]) <= 8000


async def test_a_search_of_tickets_takes_any_characters(client: httpx.AsyncClient) -> None:
    mine = await filed(client)
    for query in ("%00", "Oracle%00", "%ED%A0%BD", "'\"(", "%", "a:*%26!", "x" * 200):
        answer = await client.get(f"/api/tickets?query={query}")
        assert answer.status_code == 200, (query, answer.text)
    found = (await client.get("/api/tickets?query=budget%00+reports")).json()["items"]
    assert [one["number"] for one in found] == [mine["ticket_number"]]


_NAMING = "Please ask Maria Gonzalez (maria@firma.de, +49 30 1234567) about it."


async def shown_and_filed(client: httpx.AsyncClient) -> tuple[dict[str, Any], dict[str, Any]]:
    """A draft that names somebody as it is shown, and its ticket."""
    turn = await drafted(client)
    named = {**turn["draft"], "title": "Maria Gonzalez is locked out", "description": _NAMING}
    asked = {"session_id": turn["session_id"], "draft": named}
    shown = (await client.post(PREVIEW, json=asked)).json()
    # Whoever sends the text as it was typed has it filed as it was shown.
    last = await confirm(client, turn, draft=named, draft_digest=shown["draft_digest"])
    ticket = (await client.get(f"/api/tickets/{last.json()['ticket_id']}")).json()
    assert (ticket["title"], ticket["body"]) == (shown["draft"]["title"], shown["body_preview"])
    return shown, ticket


async def test_nobody_is_named_in_what_goes_to_a_tracker(
    settings: Settings, requester: Person
) -> None:
    async with fake_github() as fake, tracked(settings, fake) as own:
        shown, _ = await shown_and_filed(await own.client(requester))
        await own.container.tasks.drain(5)
        [issue] = fake.issues

    assert shown["draft"]["title"] == "[PERSON_1] is locked out"
    assert "Please ask [PERSON_1] ([EMAIL_1], [PHONE_1]) about it." in shown["body_preview"]
    assert issue["title"] == shown["draft"]["title"]
    assert issue["body"] == shown["body_preview"]


async def test_what_stays_in_the_house_may_name_people(client: httpx.AsyncClient) -> None:
    shown, ticket = await shown_and_filed(client)

    assert shown["draft"]["title"] == "Maria Gonzalez is locked out"
    assert "maria@firma.de" in ticket["body"]
    assert "1234567" in ticket["body"]


async def test_a_persons_first_draft_names_nobody_either(
    settings: Settings, requester: Person
) -> None:
    async with fake_github() as fake, tracked(settings, fake) as own:
        client = await own.client(requester)
        turn = await started(client, f"{SENTINEL}. {_NAMING}")
        while turn["kind"] != "draft_ready":
            turn = (await reply(client, turn, reply="I don't know")).json()
        body = turn["body_preview"]
        assert (await confirm(client, turn)).json()["kind"] == "filed"

    assert "[PERSON_1] ([EMAIL_1], [PHONE_1])" in body


async def test_nothing_is_filed_while_it_is_not_known_whom_it_names(
    settings: Settings, requester: Person
) -> None:
    hurried = settings.model_copy(
        update={"leaving": settings.leaving.model_copy(update={"seconds": 1e-6})}
    )
    async with fake_github() as fake, tracked(hurried, fake) as own:
        client = await own.client(requester)
        turn = await drafted(client)
        asked = {"session_id": turn["session_id"], "draft": turn["draft"]}
        refused = [await client.post(PREVIEW, json=asked), await confirm(client, turn)]
        tickets = (await client.get("/api/tickets")).json()["items"]
        is_open = (await session_of(client, turn))["outcome"] is None

    assert [one.status_code for one in refused] == [503, 503]
    assert {one.json()["error"] for one in refused} == {"names_not_looked_for"}
    assert all("Retry-After" in one.headers for one in refused)
    assert (tickets, is_open) == ([], True)


async def test_with_names_off_what_rules_find_is_gone_all_the_same(
    settings: Settings, requester: Person
) -> None:
    off = settings.model_copy(
        update={"leaving": settings.leaving.model_copy(update={"enabled": False})}
    )
    async with fake_github() as fake, tracked(off, fake) as own:
        client = await own.client(requester)
        turn = await drafted(client)
        draft = {**turn["draft"], "description": _NAMING}
        asked = {"session_id": turn["session_id"], "draft": draft}
        shown = (await client.post(PREVIEW, json=asked)).json()

    assert "Please ask Maria Gonzalez ([EMAIL_1], [PHONE_1])" in shown["body_preview"]
