"""The policy of gates: no case breaks an invariant, and every change to a table is noticed."""

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any

import pytest

from backend.app.domain.gate_invariants import STANDINGS, check
from backend.app.domain.gates import (
    Actor,
    Call,
    ChangeTier,
    Control,
    Grant,
    GrantKind,
    Grantor,
    GrantPolicy,
    HostNeed,
    Policy,
    Relation,
    Verdict,
    Why,
    counts,
    judge,
)
from backend.app.domain.lifecycle import BlockedOn, Standing
from backend.app.domain.tickets import TicketStatus

_WORKING = Standing(TicketStatus.IN_PROGRESS)
_LOOK = Call(
    tier=ChangeTier.READ_ONLY,
    touches_privacy=False,
    is_system_only=False,
    host=HostNeed.BOUND,
    is_tainted=False,
    actor=Actor.REQUESTER,
    relation=Relation.OWN,
    granted=frozenset(Control),
    standing=_WORKING,
    is_killed=False,
    has_consent=False,
    has_approval=False,
)
_RUN, _RECORD, _REFUSE = Verdict.RUN, Verdict.RUN_AND_RECORD, Verdict.REFUSE
_CONSENT, _APPROVAL = Verdict.HOLD_FOR_CONSENT, Verdict.HOLD_FOR_APPROVAL
_FOR_OPERATOR = Standing(TicketStatus.IN_PROGRESS, BlockedOn.OPERATOR)
_NOBODYS = {"actor": Actor.OPERATOR, "relation": Relation.NOBODYS}
_TRIAGE = {"actor": Actor.SYSTEM, "relation": Relation.ANOTHERS}


def test_no_case_breaks_an_invariant() -> None:
    checked = check()

    assert checked.breaches == ()
    assert checked.cases > 1_000_000


@pytest.mark.parametrize(
    ("change", "verdict", "why"),
    [
        ({}, _RUN, Why.HARMLESS),
        ({"is_tainted": True}, _RECORD, Why.STANDARD),
        ({"tier": ChangeTier.STANDARD_CHANGE}, _RECORD, Why.STANDARD),
        (
            {"tier": ChangeTier.STANDARD_CHANGE, "is_tainted": True},
            _APPROVAL,
            Why.NEEDS_APPROVAL,
        ),
        ({"tier": ChangeTier.NORMAL_CHANGE}, _APPROVAL, Why.NEEDS_APPROVAL),
        ({"tier": ChangeTier.NORMAL_CHANGE, "has_approval": True}, _RECORD, Why.APPROVED),
        ({"tier": None}, _APPROVAL, Why.NEEDS_APPROVAL),
        ({"touches_privacy": True}, _CONSENT, Why.NEEDS_CONSENT),
        ({"touches_privacy": True, "has_consent": True}, _RUN, Why.HARMLESS),
        (
            {"touches_privacy": True, "tier": ChangeTier.NORMAL_CHANGE},
            _CONSENT,
            Why.NEEDS_CONSENT,
        ),
        (
            {"touches_privacy": True, "tier": ChangeTier.NORMAL_CHANGE, "has_approval": True},
            _CONSENT,
            Why.NEEDS_CONSENT,
        ),
        (
            {"touches_privacy": True, "tier": ChangeTier.NORMAL_CHANGE, "has_consent": True},
            _APPROVAL,
            Why.NEEDS_APPROVAL,
        ),
        ({"touches_privacy": True, **_NOBODYS}, _REFUSE, Why.NOBODY_TO_CONSENT),
        ({"is_killed": True}, _REFUSE, Why.KILLED),
        ({"standing": Standing(TicketStatus.RESOLVED)}, _REFUSE, Why.NOT_WORKABLE),
        ({"standing": _FOR_OPERATOR}, _REFUSE, Why.NOT_WORKABLE),
        (
            {"standing": _FOR_OPERATOR, "actor": Actor.OPERATOR, "relation": Relation.ANOTHERS},
            _RUN,
            Why.HARMLESS,
        ),
        ({"relation": Relation.ANOTHERS}, _REFUSE, Why.NOT_YOURS),
        ({"granted": frozenset(Control) - {Control.SNAPSHOT}}, _REFUSE, Why.NARROWED),
        (
            {
                "granted": frozenset(Control) - {Control.SNAPSHOT},
                "actor": Actor.OPERATOR,
                "relation": Relation.ANOTHERS,
            },
            _RUN,
            Why.HARMLESS,
        ),
        ({"granted": frozenset(Control) - {Control.PROFILE}}, _REFUSE, Why.NARROWED),
        ({"is_system_only": True}, _REFUSE, Why.SYSTEM_ONLY),
        ({"host": HostNeed.UNBOUND}, _REFUSE, Why.NO_HOST),
        ({"host": HostNeed.NONE}, _RUN, Why.HARMLESS),
        ({**_TRIAGE, "standing": Standing(TicketStatus.NEW)}, _RUN, Why.HARMLESS),
        ({**_TRIAGE, "tier": ChangeTier.STANDARD_CHANGE}, _REFUSE, Why.LOOKING_ONLY),
        ({**_TRIAGE, "touches_privacy": True}, _REFUSE, Why.LOOKING_ONLY),
    ],
)
def test_what_becomes_of_a_call(change: dict[str, Any], verdict: Verdict, why: Why) -> None:
    assert judge(Policy(), _LOOK._replace(**change)) == (verdict, why)


_YES = Grant(
    kind=GrantKind.APPROVAL,
    by=Grantor.OPERATOR,
    is_operator=True,
    is_driver=False,
    four_eyes=False,
    is_alone=False,
    has_reason=False,
    is_bound=True,
    is_live=True,
    is_unused=True,
    follows_consent=True,
)
_OWN = {"by": Grantor.REQUESTER}


@pytest.mark.parametrize(
    ("change", "does"),
    [
        ({}, True),
        ({"is_driver": True}, True),
        ({"is_driver": True, "four_eyes": True}, False),
        (
            {"is_driver": True, "four_eyes": True, "is_alone": True, "has_reason": True},
            True,
        ),
        (_OWN, False),
        ({**_OWN, "is_alone": True, "has_reason": True}, True),
        ({**_OWN, "is_alone": True}, False),
        ({**_OWN, "is_alone": True, "has_reason": True, "is_operator": False}, False),
        ({"by": Grantor.OUT_OF_SCOPE}, False),
        ({"by": Grantor.WITHOUT_ROLE, "is_operator": False}, False),
        ({"follows_consent": False}, False),
        ({"is_bound": False}, False),
        ({"is_live": False}, False),
        ({"is_unused": False}, False),
        ({"kind": GrantKind.CONSENT}, False),
        ({"kind": GrantKind.CONSENT, **_OWN, "is_operator": False}, True),
    ],
)
def test_whose_yes_counts(change: dict[str, Any], does: bool) -> None:
    assert counts(GrantPolicy(), _YES._replace(**change)) is does


def _with(policy: Any, name: str, value: object) -> Any:
    """The policy with another table under this name."""
    return replace(policy, **{name: value})


def _toggled(chosen: frozenset[Any], everything: Iterator[Any] | Any) -> Iterator[frozenset[Any]]:
    for one in everything:
        yield chosen ^ {one}


def _mutations() -> Iterator[tuple[str, Policy | GrantPolicy]]:
    """Every change to one entry of one table."""
    policy, grants = Policy(), GrantPolicy()
    for name in ("on_tier", "on_tainted_tier"):
        for tier, verdict in getattr(policy, name).items():
            for other in set(Verdict) - {verdict}:
                changed = {**getattr(policy, name), tier: other}
                yield f"{name} {tier}: {other}", _with(policy, name, changed)
    for tier in (ChangeTier.READ_ONLY, ChangeTier.STANDARD_CHANGE):
        yield f"unknown_tier {tier}", replace(policy, unknown_tier=tier)
    for actor, standings in policy.workable.items():
        for standing in STANDINGS:
            changed_standings = {**policy.workable, actor: set(standings) ^ {standing}}
            yield f"workable {actor} {standing}", replace(policy, workable=changed_standings)
    sets: dict[str, type[StrEnum]] = {
        "narrowing": Control,
        "on_anothers": Actor,
        "system_tools": Actor,
        "system_tiers": ChangeTier,
    }
    for name, members in sets.items():
        for toggled in _toggled(frozenset(getattr(policy, name)), members):
            yield f"{name} {sorted(toggled)}", _with(policy, name, toggled)
    yield "narrowing_own nothing", replace(policy, narrowing_own=frozenset())
    for one in fields(policy):
        if isinstance(getattr(policy, one.name), bool):
            yield f"{one.name} off", _with(policy, one.name, False)
    for kind, grantors in grants.grantors.items():
        for toggled in _toggled(frozenset(grantors), Grantor):
            yield (
                f"{kind} by {sorted(toggled)}",
                replace(grants, grantors={**grants.grantors, kind: toggled}),
            )
    for name in ("conditions", "glass_needs"):
        for condition in getattr(grants, name):
            fewer = frozenset(getattr(grants, name)) - {condition}
            yield f"{name} without {condition}", _with(grants, name, fewer)
    for name in ("approval_follows_consent", "four_eyes_bars_driver"):
        yield f"{name} off", _with(grants, name, False)


def test_every_change_to_a_table_is_noticed() -> None:
    missed, tried = [], 0
    for name, changed in _mutations():
        tried += 1
        if isinstance(changed, Policy):
            checked = check(policy=changed, stop_after=1)
        else:
            checked = check(grant_policy=changed, stop_after=1)
        if not checked.breaches:
            missed.append(name)

    assert missed == []
    assert tried >= 50
