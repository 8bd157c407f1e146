"""Whether a tool may run on a ticket's host, for whom, and on whose yes.

Everything a verdict depends on is a value from a small closed set, so the whole space of cases is
walked and held against written invariants (`domain/gate_invariants.py`). A policy is data: the
tables that `judge` reads. It is judged anew when a held call is released, so nothing that changed
meanwhile is passed over.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from backend.app.domain.lifecycle import BlockedOn, Standing
from backend.app.domain.tickets import TicketStatus


class ChangeTier(StrEnum):
    """How grave a tool's change is. A tool that nobody knows is a normal change."""

    READ_ONLY = "read_only"
    STANDARD_CHANGE = "standard_change"
    NORMAL_CHANGE = "normal_change"


class Verdict(StrEnum):
    """What becomes of a call."""

    RUN = "run"
    RUN_AND_RECORD = "run_and_record"
    HOLD_FOR_CONSENT = "hold_for_consent"
    HOLD_FOR_APPROVAL = "hold_for_approval"
    REFUSE = "refuse"


class Actor(StrEnum):
    """Whose turn it is."""

    SYSTEM = "system"
    REQUESTER = "requester"
    OPERATOR = "operator"
    ADMIN = "admin"


class Relation(StrEnum):
    """Whose ticket it is, seen from the actor."""

    OWN = "own"
    ANOTHERS = "anothers"
    NOBODYS = "nobodys"


class HostNeed(StrEnum):
    """Whether the tool works on a host, and whether the ticket has one."""

    NONE = "none"
    BOUND = "bound"
    UNBOUND = "unbound"


class Control(StrEnum):
    """What cuts down the tools of a turn. ``snapshot``: the requester's rights when the ticket was
    opened, which narrow their own turns and nobody else's.
    """

    SCOPE = "scope"
    PROFILE = "profile"
    SNAPSHOT = "snapshot"
    SURFACE = "surface"


class Call(NamedTuple):
    """One call as `judge` sees it.

    ``tier`` is None of a tool that the catalogue does not know; ``granted`` are the controls that
    let the tool through; ``has_consent`` and ``has_approval`` are grants that count just now
    (`counts`).
    """

    tier: ChangeTier | None
    touches_privacy: bool
    is_system_only: bool
    host: HostNeed
    is_tainted: bool
    actor: Actor
    relation: Relation
    granted: frozenset[Control]
    standing: Standing
    is_killed: bool
    has_consent: bool
    has_approval: bool


class Why(StrEnum):
    """The reason of a verdict; a closed set, each worded for the person elsewhere."""

    HARMLESS = "harmless"
    STANDARD = "standard"
    APPROVED = "approved"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_CONSENT = "needs_consent"
    KILLED = "killed"
    NOT_WORKABLE = "not_workable"
    NOT_YOURS = "not_yours"
    NARROWED = "narrowed"
    SYSTEM_ONLY = "system_only"
    NO_HOST = "no_host"
    NOBODY_TO_CONSENT = "nobody_to_consent"
    LOOKING_ONLY = "looking_only"


class Judgement(NamedTuple):
    """A verdict and its reason."""

    verdict: Verdict
    why: Why


_WORKABLE = frozenset(
    Standing(TicketStatus.IN_PROGRESS, blocked_on) for blocked_on in (None, *BlockedOn)
)
_WORKABLE_BY_OTHERS = _WORKABLE - {Standing(TicketStatus.IN_PROGRESS, BlockedOn.OPERATOR)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The tables that `judge` and `counts` read; the defaults are the policy that is in force.

    ``on_tier`` and ``on_tainted_tier``: what becomes of a call whose other conditions are met;
    ``workable``: where a ticket may stand in an actor's turn; ``narrowing``: the controls that
    every turn must pass, ``narrowing_own``: one on one's own ticket besides; ``on_anothers``: who
    works on tickets that are not their own.
    """

    on_tier: Mapping[ChangeTier, Verdict] = field(
        default_factory=lambda: {
            ChangeTier.READ_ONLY: Verdict.RUN,
            ChangeTier.STANDARD_CHANGE: Verdict.RUN_AND_RECORD,
            ChangeTier.NORMAL_CHANGE: Verdict.HOLD_FOR_APPROVAL,
        }
    )
    on_tainted_tier: Mapping[ChangeTier, Verdict] = field(
        default_factory=lambda: {
            ChangeTier.READ_ONLY: Verdict.RUN_AND_RECORD,
            ChangeTier.STANDARD_CHANGE: Verdict.HOLD_FOR_APPROVAL,
            ChangeTier.NORMAL_CHANGE: Verdict.HOLD_FOR_APPROVAL,
        }
    )
    unknown_tier: ChangeTier = ChangeTier.NORMAL_CHANGE
    workable: Mapping[Actor, Set[Standing]] = field(
        default_factory=lambda: {
            Actor.SYSTEM: _WORKABLE_BY_OTHERS | {Standing(TicketStatus.NEW)},
            Actor.REQUESTER: _WORKABLE_BY_OTHERS,
            Actor.OPERATOR: _WORKABLE,
            Actor.ADMIN: _WORKABLE,
        }
    )
    narrowing: Set[Control] = frozenset({Control.SCOPE, Control.PROFILE, Control.SURFACE})
    narrowing_own: Set[Control] = frozenset({Control.SNAPSHOT})
    on_anothers: Set[Actor] = frozenset({Actor.SYSTEM, Actor.OPERATOR, Actor.ADMIN})
    system_tools: Set[Actor] = frozenset({Actor.SYSTEM})
    system_tiers: Set[ChangeTier] = frozenset({ChangeTier.READ_ONLY})
    stops_when_killed: bool = True
    needs_host: bool = True
    private_needs_consent: bool = True
    private_needs_requester: bool = True
    consent_comes_first: bool = True
    records_approved: bool = True


def _refused(why: Why) -> Judgement:
    return Judgement(Verdict.REFUSE, why)


def judge(policy: Policy, case: Call) -> Judgement:
    """What becomes of a call; total: every case has exactly one answer."""
    if case.is_killed and policy.stops_when_killed:
        return _refused(Why.KILLED)
    if case.standing not in policy.workable[case.actor]:
        return _refused(Why.NOT_WORKABLE)
    if case.relation is not Relation.OWN and case.actor not in policy.on_anothers:
        return _refused(Why.NOT_YOURS)
    if not policy.narrowing <= case.granted:
        return _refused(Why.NARROWED)
    if case.relation is Relation.OWN and not policy.narrowing_own <= case.granted:
        return _refused(Why.NARROWED)
    if case.is_system_only and case.actor not in policy.system_tools:
        return _refused(Why.SYSTEM_ONLY)
    if case.host is HostNeed.UNBOUND and policy.needs_host:
        return _refused(Why.NO_HOST)
    return _by_tier(policy, case)


def _by_tier(policy: Policy, case: Call) -> Judgement:
    tier = policy.unknown_tier if case.tier is None else case.tier
    if case.actor is Actor.SYSTEM and (tier not in policy.system_tiers or case.touches_privacy):
        return _refused(Why.LOOKING_ONLY)
    needs_consent = case.touches_privacy and policy.private_needs_consent and not case.has_consent
    if (
        case.touches_privacy
        and case.relation is Relation.NOBODYS
        and policy.private_needs_requester
    ):
        return _refused(Why.NOBODY_TO_CONSENT)
    if needs_consent and policy.consent_comes_first:
        return Judgement(Verdict.HOLD_FOR_CONSENT, Why.NEEDS_CONSENT)
    verdict = (policy.on_tainted_tier if case.is_tainted else policy.on_tier)[tier]
    if verdict is Verdict.HOLD_FOR_APPROVAL:
        if not case.has_approval:
            return Judgement(verdict, Why.NEEDS_APPROVAL)
        verdict = Verdict.RUN_AND_RECORD if policy.records_approved else Verdict.RUN
        return Judgement(verdict, Why.APPROVED)
    if needs_consent:
        return Judgement(Verdict.HOLD_FOR_CONSENT, Why.NEEDS_CONSENT)
    return Judgement(verdict, Why.HARMLESS if verdict is Verdict.RUN else Why.STANDARD)


class GrantKind(StrEnum):
    """The requester's yes, or an operator's."""

    CONSENT = "consent"
    APPROVAL = "approval"


class Grantor(StrEnum):
    """Who said yes, by their role as it is now; ``requester`` is the ticket's own, whatever else
    they are.
    """

    REQUESTER = "requester"
    OPERATOR = "operator"
    OUT_OF_SCOPE = "out_of_scope"
    WITHOUT_ROLE = "without_role"


class Grant(NamedTuple):
    """A yes as `counts` sees it.

    ``is_operator``: a requester who is an operator too; ``is_alone``: there is no other operator
    who could decide; ``has_reason``: the glass was broken with a typed reason; ``is_bound``: tool,
    canonical arguments, host, ticket revision and policy are what they were; ``follows_consent``: a
    consent that the call needs was there before it.
    """

    kind: GrantKind
    by: Grantor
    is_operator: bool
    is_driver: bool
    four_eyes: bool
    is_alone: bool
    has_reason: bool
    is_bound: bool
    is_live: bool
    is_unused: bool
    follows_consent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantPolicy:
    """Who may say yes to what."""

    grantors: Mapping[GrantKind, Set[Grantor]] = field(
        default_factory=lambda: {
            GrantKind.CONSENT: frozenset({Grantor.REQUESTER}),
            GrantKind.APPROVAL: frozenset({Grantor.OPERATOR}),
        }
    )
    #: What a grant must be, whoever gave it.
    conditions: Set[str] = frozenset({"is_bound", "is_live", "is_unused"})
    approval_follows_consent: bool = True
    four_eyes_bars_driver: bool = True
    glass_needs: Set[str] = frozenset({"is_operator", "is_alone", "has_reason"})


def counts(policy: GrantPolicy, grant: Grant) -> bool:
    """Whether a grant lets its call run just now; total."""
    if not all(getattr(grant, name) for name in policy.conditions):
        return False
    if grant.kind is GrantKind.CONSENT:
        return grant.by in policy.grantors[GrantKind.CONSENT]
    if policy.approval_follows_consent and not grant.follows_consent:
        return False
    is_barred = policy.four_eyes_bars_driver and grant.four_eyes and grant.is_driver
    if grant.by in policy.grantors[GrantKind.APPROVAL] and not is_barred:
        return True
    breaks_glass = all(getattr(grant, name) for name in policy.glass_needs)
    return breaks_glass and grant.by in {Grantor.REQUESTER, Grantor.OPERATOR}
