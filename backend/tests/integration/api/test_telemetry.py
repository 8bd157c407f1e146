"""What the page tells of its use: counted, closed, capped, and never a text."""

from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.support.agent import application, execute
from backend.tests.support.people import Person

PATH = "/api/telemetry"
EVERY: list[dict[str, Any]] = [
    {"name": "agent.mode_switched", "from": "ask", "to": "agent"},
    {"name": "agent.chip_clicked", "chip_kind": "quick_reply", "position": 2},
    {"name": "agent.resumed_via", "via": "free_text"},
    {"name": "agent.modal_opened", "trigger": "button"},
    {"name": "agent.modal_submitted"},
    {"name": "agent.modal_cancelled"},
    {"name": "agent.cancel_clicked", "from_state": "awaiting_user"},
    {"name": "agent.error_shown", "kind": "limit"},
]


async def counted(container: Container) -> dict[str, float]:
    page, _ = await container.metrics_page()
    lines = [
        line for line in page.decode().splitlines() if line.startswith("chatbot_page_events_t")
    ]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


async def test_every_event_is_counted_by_its_name_and_properties(
    container: Container, client: httpx.AsyncClient
) -> None:
    before = await counted(container)
    answer = await client.post(PATH, json={"events": EVERY})
    after = await counted(container)

    assert (answer.status_code, answer.json()) == (200, {"is_wanted": True})
    moved = {key for key, value in after.items() if value - before.get(key, 0) == 1}
    assert len(moved) == len(EVERY)
    assert 'chatbot_page_events_total{detail="ask>agent",event="agent.mode_switched"}' in moved
    assert 'chatbot_page_events_total{detail="quick_reply:2",event="agent.chip_clicked"}' in moved


@pytest.mark.parametrize(
    "event",
    [
        {"name": "agent.typed", "text": "my password"},
        {"name": "agent.modal_submitted", "text": "my password"},
        {"name": "agent.chip_clicked", "chip_kind": "my password", "position": 1},
        {"name": "agent.chip_clicked", "chip_kind": "get_help", "position": 10},
        {"name": "agent.error_shown", "kind": "my password"},
        {"name": "agent.mode_switched", "from": "ask"},
        "agent.modal_submitted",
    ],
)
async def test_what_is_not_closed_is_refused_and_not_counted(
    container: Container, client: httpx.AsyncClient, event: Any
) -> None:
    before = await counted(container)
    answer = await client.post(PATH, json={"events": [event, EVERY[4]]})

    assert answer.status_code == 422
    assert await counted(container) == before


@pytest.mark.parametrize("number", [0, 21])
async def test_a_batch_has_bounds(client: httpx.AsyncClient, number: int) -> None:
    answer = await client.post(PATH, json={"events": EVERY[4:5] * number})
    assert answer.status_code == 422


async def test_a_stranger_tells_nothing(anonymous: httpx.AsyncClient) -> None:
    answer = await anonymous.post(PATH, json={"events": EVERY})
    assert answer.status_code == 401


async def test_too_often_is_refused_until_the_minute_is_over(
    container: Container, client: httpx.AsyncClient
) -> None:
    body = {"events": EVERY[4:5]}
    assert {(await client.post(PATH, json=body)).status_code for _ in range(60)} == {200}
    refused = await client.post(PATH, json=body)
    assert (refused.status_code, refused.json()["error"]) == (429, "telemetry_too_often")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    await execute(container, "UPDATE rates SET window_start = window_start - interval '1 minute'")
    assert (await client.post(PATH, json=body)).status_code == 200


async def test_switched_off_it_says_so_and_counts_nothing(
    container: Container, settings: Settings, requester: Person
) -> None:
    off = settings.observability.model_copy(update={"page_telemetry": False})
    async with application(settings.model_copy(update={"observability": off})) as own:
        answer = await (await own.client(requester)).post(PATH, json={"events": EVERY})
        counts = await counted(own.container)

    assert (answer.status_code, answer.json()) == (200, {"is_wanted": False})
    assert counts == {}
