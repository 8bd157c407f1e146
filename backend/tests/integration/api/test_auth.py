"""Signing in: by cookie and by token, with limits, and nothing told to strangers."""

import asyncio
from dataclasses import replace

import httpx
import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.domain.principals import Role
from backend.tests.support.people import People, Person


async def _sign_in(
    client: httpx.AsyncClient, username: str, password: str, **headers: str
) -> httpx.Response:
    return await client.post(
        "/api/auth/login", json={"username": username, "password": password}, headers=headers
    )


async def test_signing_in_sets_a_cookie_that_scripts_cannot_read(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    answer = await _sign_in(anonymous, " Rita ", requester.password)

    assert answer.status_code == 200
    assert answer.json()["user"] == {
        "id": str(requester.user.id),
        "username": "rita",
        "display_name": "Rita",
        "role": "requester",
    }
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("helpdesk_session=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert (await anonymous.get("/api/auth/me")).json()["user"]["username"] == "rita"


async def test_wrong_password_unknown_name_and_disabled_account_are_told_alike(
    anonymous: httpx.AsyncClient, requester: Person, stranger: Person, container: Container
) -> None:
    await container.accounts.disable("sam")
    answers = [
        await _sign_in(anonymous, "rita", "not the password"),
        await _sign_in(anonymous, "nobody", "not the password"),
        await _sign_in(anonymous, "sam", stranger.password),
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].json()["error"] == "bad_credentials"


async def test_attempts_per_account_are_limited_exactly_also_at_once(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    answers = await asyncio.gather(
        *(_sign_in(anonymous, "rita", f"wrong password {number}") for number in range(14))
    )
    refused = [answer for answer in answers if answer.status_code == 429]

    assert len(refused) == 4
    assert all(int(answer.headers["retry-after"]) > 0 for answer in refused)
    assert refused[0].json()["error"] == "too_many_attempts"
    right = await _sign_in(anonymous, "rita", requester.password)
    assert right.status_code == 429


async def test_signing_in_forgives_earlier_slips(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    for _ in range(2):
        for _ in range(9):
            await _sign_in(anonymous, "rita", "wrong password")
        assert (await _sign_in(anonymous, "rita", requester.password)).status_code == 200


async def test_a_source_that_tries_many_names_is_limited(anonymous: httpx.AsyncClient) -> None:
    answers = [await _sign_in(anonymous, f"name{number}", "guess") for number in range(51)]

    assert [answer.status_code for answer in answers[:50]] == [401] * 50
    assert answers[50].status_code == 429


async def test_a_forged_forwarding_header_is_no_new_source(anonymous: httpx.AsyncClient) -> None:
    answers = [
        await _sign_in(anonymous, f"n{number}", "guess", **{"X-Forwarded-For": f"10.0.0.{number}"})
        for number in range(51)
    ]

    assert answers[50].status_code == 429


async def test_a_change_by_cookie_needs_the_pages_token(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    signed_in = (await _sign_in(anonymous, "rita", requester.password)).json()
    without = await anonymous.post("/api/chat/sessions", json={})
    wrong = await anonymous.post("/api/chat/sessions", json={}, headers={"X-CSRF-Token": "0" * 64})
    right = await anonymous.post(
        "/api/chat/sessions", json={}, headers={"X-CSRF-Token": signed_in["csrf_token"]}
    )

    assert (without.status_code, without.json()["error"]) == (403, "csrf_token_missing")
    assert wrong.status_code == 403
    assert right.status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_another_sites_page_can_neither_change_nor_sign_in(
    anonymous: httpx.AsyncClient, requester: Person, headers: dict[str, str]
) -> None:
    refused = await _sign_in(anonymous, "rita", requester.password, **headers)
    token = (await _sign_in(anonymous, "rita", requester.password)).json()["csrf_token"]
    change = await anonymous.post(
        "/api/chat/sessions", json={}, headers={"X-CSRF-Token": token, **headers}
    )

    assert (refused.status_code, refused.json()["error"]) == (403, "foreign_origin")
    assert change.status_code == 403


async def test_our_own_page_says_where_it_is_from(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    answer = await _sign_in(anonymous, "rita", requester.password, Origin="http://localhost")

    assert answer.status_code == 200


async def test_signing_out_ends_the_session(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    token = (await _sign_in(anonymous, "rita", requester.password)).json()["csrf_token"]
    cookie = anonymous.cookies["helpdesk_session"]
    await anonymous.post("/api/auth/logout", headers={"X-CSRF-Token": token})
    anonymous.cookies.set("helpdesk_session", cookie)

    assert (await anonymous.get("/api/auth/me")).status_code == 401


@pytest.mark.parametrize("column", ["expires_at", "nothing"])
async def test_a_session_ends_by_the_databases_clock(
    anonymous: httpx.AsyncClient, requester: Person, container: Container, column: str
) -> None:
    await _sign_in(anonymous, "rita", requester.password)
    if column == "expires_at":
        async with container.engine.begin() as connection:
            await connection.execute(sa.text("UPDATE browser_sessions SET expires_at = now()"))
    await container.sweeps.run()

    assert (await anonymous.get("/api/auth/me")).status_code == (
        401 if column == "expires_at" else 200
    )


async def test_use_prolongs_a_session_up_to_its_longest(
    anonymous: httpx.AsyncClient, requester: Person, container: Container
) -> None:
    await _sign_in(anonymous, "rita", requester.password)
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text(
                "UPDATE browser_sessions SET created_at = now() - interval '29 days',"
                " last_used_at = now() - interval '1 hour', expires_at = now() + interval '1 min'"
            )
        )
    await anonymous.get("/api/auth/me")
    async with container.engine.connect() as connection:
        left = await connection.scalar(sa.text("SELECT expires_at - now() FROM browser_sessions"))

    assert left is not None
    assert 23 < left.total_seconds() / 3600 <= 24


async def test_a_one_time_password_opens_nothing_but_its_change(
    anonymous: httpx.AsyncClient, people: People
) -> None:
    person = await people.make("newcomer", one_time_password=True)
    signed_in = (await _sign_in(anonymous, "newcomer", person.password)).json()
    headers = {"X-CSRF-Token": signed_in["csrf_token"]}
    early = await anonymous.get("/api/chat/sessions")
    changed = await anonymous.post(
        "/api/auth/password",
        json={"current_password": person.password, "new_password": "a better password"},
        headers=headers,
    )

    assert signed_in["must_change_password"]
    assert (early.status_code, early.json()["error"]) == (403, "password_change_required")
    assert changed.status_code == 200
    assert not changed.json()["must_change_password"]
    assert (await anonymous.get("/api/chat/sessions")).status_code == 200


async def test_a_changed_password_ends_all_other_sessions(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    await _sign_in(anonymous, "rita", requester.password)
    elsewhere = anonymous.cookies["helpdesk_session"]
    token = (await _sign_in(anonymous, "rita", requester.password)).json()["csrf_token"]
    body = {"current_password": requester.password, "new_password": "a better password"}
    await anonymous.post("/api/auth/password", json=body, headers={"X-CSRF-Token": token})
    here = await anonymous.get("/api/auth/me")
    anonymous.cookies.delete("helpdesk_session")
    anonymous.cookies.set("helpdesk_session", elsewhere)

    assert here.status_code == 200
    assert (await anonymous.get("/api/auth/me")).status_code == 401
    assert (await _sign_in(anonymous, "rita", requester.password)).status_code == 401
    assert (await _sign_in(anonymous, "rita", "a better password")).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"current_password": "wrong", "new_password": "a better password"}, 422, "wrong_password"),
        ({"current_password": "{right}", "new_password": "short"}, 422, "weak_password"),
        ({"current_password": "{right}", "new_password": "{right}"}, 422, "weak_password"),
    ],
)
async def test_a_password_is_not_changed_for_the_worse(
    client: httpx.AsyncClient, requester: Person, body: dict[str, str], status: int, error: str
) -> None:
    filled = {key: value.replace("{right}", requester.password) for key, value in body.items()}
    answer = await client.post("/api/auth/password", json=filled)

    assert (answer.status_code, answer.json()["error"]) == (status, error)


async def test_a_token_is_shown_once_and_works_until_revoked(
    client: httpx.AsyncClient, anonymous: httpx.AsyncClient
) -> None:
    made = (await client.post("/api/auth/tokens", json={"name": "ci"})).json()
    bearer = {"Authorization": f"Bearer {made['token']}"}
    listed = (await client.get("/api/auth/tokens")).json()["items"]
    works = await anonymous.get("/api/auth/me", headers=bearer)
    revoked = await client.delete(f"/api/auth/tokens/{made['id']}")

    assert [item["name"] for item in listed] == ["ci", "test"]
    assert all("token" not in item for item in listed)
    assert made["token"].startswith(listed[0]["prefix"])
    assert works.json()["csrf_token"] is None
    assert revoked.status_code == 204
    assert (await anonymous.get("/api/auth/me", headers=bearer)).status_code == 401


async def test_a_token_ends_when_it_says(
    client: httpx.AsyncClient, anonymous: httpx.AsyncClient, container: Container
) -> None:
    body = {"name": "short", "expires_in_days": 1}
    made = (await client.post("/api/auth/tokens", json=body)).json()
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text("UPDATE access_tokens SET expires_at = now() WHERE name = 'short'")
        )
    bearer = {"Authorization": f"Bearer {made['token']}"}

    assert (await anonymous.get("/api/auth/me", headers=bearer)).status_code == 401


async def test_another_persons_token_is_not_found(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    made = (await client.post("/api/auth/tokens", json={"name": "mine"})).json()
    foreign = await strangers_client.delete(f"/api/auth/tokens/{made['id']}")
    unknown = await strangers_client.delete("/api/auth/tokens/00000000-0000-4000-8000-000000000000")

    assert foreign.status_code == unknown.status_code == 404
    assert foreign.text == unknown.text
    assert len((await client.get("/api/auth/tokens")).json()["items"]) == 2


async def test_a_token_counts_before_a_cookie_and_a_bad_one_is_no_one(
    anonymous: httpx.AsyncClient, requester: Person
) -> None:
    await _sign_in(anonymous, "rita", requester.password)

    for header in ("Bearer nonsense", "Bearer hda_unknown", "Bearer ", "Bearer " + "x" * 5000):
        answer = await anonymous.get("/api/auth/me", headers={"Authorization": header})
        assert answer.status_code == 401


async def test_a_role_holds_from_the_next_request_and_disabling_ends_everything(
    client: httpx.AsyncClient, container: Container, people: People
) -> None:
    await people.make("ada", Role.ADMIN)
    await container.accounts.set_role("rita", Role.OPERATOR)
    promoted = (await client.get("/api/auth/me")).json()["user"]["role"]
    await container.accounts.disable("rita")
    shut_out = (await client.get("/api/auth/me")).status_code
    await container.accounts.enable("rita")

    assert promoted == "operator"
    assert shut_out == 401
    assert (await client.get("/api/auth/me")).status_code == 200


async def test_a_password_replaced_while_it_is_verified_opens_nothing(
    anonymous: httpx.AsyncClient, requester: Person, container: Container
) -> None:
    for _ in range(6):
        answers = await asyncio.gather(
            *(_sign_in(anonymous, "rita", requester.password) for _ in range(2)),
            container.accounts.reset_password("rita"),
        )
        fresh = answers[2]
        async with container.engine.connect() as connection:
            sessions = await connection.scalar(sa.text("SELECT count(*) FROM browser_sessions"))

        assert sessions == 0
        requester = replace(requester, password=str(fresh))


async def test_tokens_made_at_once_stay_within_the_limit(
    client: httpx.AsyncClient, requester: Person, container: Container
) -> None:
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text(
                "INSERT INTO access_tokens (id, user_id, token_hash, name, prefix, expires_at)"
                " SELECT gen_random_uuid(), :user, sha256(n::text::bytea), 'x', 'hda_', "
                "        CASE WHEN n > 47 THEN now() END"
                " FROM generate_series(1, 60) AS n"
            ),
            {"user": requester.user.id},
        )
    answers = await asyncio.gather(
        *(client.post("/api/auth/tokens", json={"name": f"t{n}"}) for n in range(6))
    )
    listed = (await client.get("/api/auth/tokens")).json()["items"]

    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    assert len(listed) == 50


async def test_a_source_over_its_limit_leaves_no_further_trace(
    anonymous: httpx.AsyncClient, container: Container
) -> None:
    for number in range(60):
        await _sign_in(anonymous, f"name{number}", "guess")
    async with container.engine.connect() as connection:
        facts = await connection.scalar(sa.text("SELECT count(*) FROM facts"))
        rates = await connection.scalar(sa.text("SELECT count(*) FROM rates"))

    assert facts == 51  # fifty wrong ones, and once that it was too many
    assert rates == 51


@pytest.mark.parametrize("origin", ["http://[", "http://]", "://", "x" * 5000])
async def test_an_origin_that_is_none_is_foreign(anonymous: httpx.AsyncClient, origin: str) -> None:
    assert (await _sign_in(anonymous, "rita", "x", Origin=origin)).status_code == 403


async def test_a_sign_in_is_small(anonymous: httpx.AsyncClient) -> None:
    body = '{"username": "a", "password": "' + "x" * 9000 + '"}'
    answer = await anonymous.post(
        "/api/auth/login", content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 413


async def test_random_passwords_are_no_matter_of_luck(container: Container) -> None:
    for name in "abcdefgh":
        await container.accounts.add(name, display_name=name, role=Role.REQUESTER)
