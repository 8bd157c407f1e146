"""What no policy may break: written down apart from the tables, and held against every case.

The whole space is finite, about a million cases. A policy that fails one of these must not serve.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product

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
    Judgement,
    Policy,
    Relation,
    Verdict,
    counts,
    judge,
)
from backend.app.domain.lifecycle import BlockedOn, Standing
from backend.app.domain.tickets import TicketStatus

_BOTH = (False, True)
_ALL_CONTROLS = frozenset(Control)
_EVERYBODYS_CONTROLS = _ALL_CONTROLS - {Control.SNAPSHOT}
_OPERATORS = frozenset({Actor.OPERATOR, Actor.ADMIN})
_WORKING = frozenset(Standing(TicketStatus.IN_PROGRESS, reason) for reason in (None, *BlockedOn))
_FOR_OPERATOR = Standing(TicketStatus.IN_PROGRESS, BlockedOn.OPERATOR)
_NEW = Standing(TicketStatus.NEW)
STANDINGS = (
    *_WORKING,
    *(Standing(status) for status in TicketStatus if status is not TicketStatus.IN_PROGRESS),
)
#: The program has no ticket of its own.
_DRIVERS = tuple(
    (actor, relation)
    for actor, relation in product(Actor, Relation)
    if not (actor is Actor.SYSTEM and relation is Relation.OWN)
)


def cases() -> Iterator[Call]:
    """Every call that there can be. Those in which most is granted come first, where a wrong policy
    shows soonest.
    """
    subsets = [
        frozenset(chosen)
        for size in range(len(Control), -1, -1)
        for chosen in combinations(Control, size)
    ]
    tools = list(product((None, *ChangeTier), _BOTH, _BOTH, HostNeed, _BOTH))
    rest = product(_BOTH, subsets, STANDINGS, _DRIVERS, _BOTH, _BOTH)
    for is_killed, granted, standing, (actor, relation), consent, approval in rest:
        for tool in tools:
            yield Call(*tool, actor, relation, granted, standing, is_killed, consent, approval)


def grants() -> Iterator[Grant]:
    """Every yes that there can be; an operator's is an operator's."""
    for by in Grantor:
        operator = {Grantor.OPERATOR: (True,), Grantor.REQUESTER: _BOTH}.get(by, (False,))
        for kind, is_operator in product(GrantKind, operator):
            for rest in product(_BOTH, repeat=8):
                yield Grant(kind, by, is_operator, *rest)


def _tier(case: Call) -> ChangeTier:
    return ChangeTier.NORMAL_CHANGE if case.tier is None else case.tier


def _is_lookable(case: Call) -> bool:
    """Whether everything but grants and tier speaks for the call."""
    return (
        not case.is_killed
        and case.standing in _WORKING
        and (case.standing != _FOR_OPERATOR or case.actor in _OPERATORS)
        and (case.relation is Relation.OWN or case.actor is not Actor.REQUESTER)
        and case.granted == _ALL_CONTROLS
        and (not case.is_system_only or case.actor is Actor.SYSTEM)
        and case.host is not HostNeed.UNBOUND
    )


#: Of every verdict that lets a call go on, now or on somebody's yes.
NOT_REFUSED: Mapping[str, Callable[[Call, Verdict], bool]] = {
    "nothing goes on while the kill switch is on": lambda case, _: not case.is_killed,
    "a ticket is worked on in progress; a new one is only looked at, by the program": (
        lambda case, _: (
            case.standing in _WORKING
            or (
                case.standing == _NEW
                and case.actor is Actor.SYSTEM
                and _tier(case) is ChangeTier.READ_ONLY
            )
        )
    ),
    "what waits for an operator is an operator's": lambda case, _: (
        case.standing != _FOR_OPERATOR or case.actor in _OPERATORS
    ),
    "a requester acts on their own ticket": lambda case, _: (
        case.actor is not Actor.REQUESTER or case.relation is Relation.OWN
    ),
    "scope, profile and surface narrow every turn": lambda case, _: (
        case.granted >= _EVERYBODYS_CONTROLS
    ),
    "the snapshot narrows its requester": lambda case, _: (
        case.relation is not Relation.OWN or Control.SNAPSHOT in case.granted
    ),
    "the program's own tools are not for people": lambda case, _: (
        not case.is_system_only or case.actor is Actor.SYSTEM
    ),
    "a tool of a host needs the ticket's host": lambda case, _: case.host is not HostNeed.UNBOUND,
    "nothing private where nobody could consent": lambda case, _: (
        not case.touches_privacy or case.relation is not Relation.NOBODYS
    ),
    "by itself the program only looks, and at nothing private": lambda case, _: (
        case.actor is not Actor.SYSTEM
        or (_tier(case) is ChangeTier.READ_ONLY and not case.touches_privacy)
    ),
    "nothing private goes on without consent": lambda case, verdict: (
        not case.touches_privacy or case.has_consent or verdict is Verdict.HOLD_FOR_CONSENT
    ),
    "consent is asked for where it is needed and missing": lambda case, verdict: (
        verdict is not Verdict.HOLD_FOR_CONSENT or (case.touches_privacy and not case.has_consent)
    ),
    "approval is asked for where it is needed and missing": lambda case, verdict: (
        verdict is not Verdict.HOLD_FOR_APPROVAL
        or (_needs_approval(case) and not case.has_approval)
    ),
    "what needs approval does not run without": lambda case, verdict: (
        verdict not in {Verdict.RUN, Verdict.RUN_AND_RECORD}
        or not _needs_approval(case)
        or case.has_approval
    ),
    "an untainted look runs unrecorded, and nothing else does": lambda case, verdict: (
        verdict not in {Verdict.RUN, Verdict.RUN_AND_RECORD}
        or (verdict is Verdict.RUN) == (_tier(case) is ChangeTier.READ_ONLY and not case.is_tainted)
    ),
}


def _needs_approval(case: Call) -> bool:
    tier = _tier(case)
    return tier is ChangeTier.NORMAL_CHANGE or (
        tier is ChangeTier.STANDARD_CHANGE and case.is_tainted
    )


def _is_refused_needlessly(case: Call) -> bool:
    """Whether a refused call should have gone on: a policy that allows nothing protects nobody."""
    if case.standing == _NEW:
        at_work = case._replace(standing=Standing(TicketStatus.IN_PROGRESS))
        return case.actor is Actor.SYSTEM and _is_refused_needlessly(at_work)
    if not _is_lookable(case):
        return False
    if case.actor is Actor.SYSTEM:
        return _tier(case) is ChangeTier.READ_ONLY and not case.touches_privacy
    return not case.touches_privacy or case.relation is not Relation.NOBODYS


#: Of every yes that counts.
COUNTED: Mapping[str, Callable[[Grant], bool]] = {
    "a grant is bound, live and unused": lambda grant: (
        grant.is_bound and grant.is_live and grant.is_unused
    ),
    "only the requester consents": lambda grant: (
        grant.kind is GrantKind.APPROVAL or grant.by is Grantor.REQUESTER
    ),
    "who is out of scope or without the role approves nothing": lambda grant: (
        grant.by in {Grantor.REQUESTER, Grantor.OPERATOR}
    ),
    "nobody approves on their own ticket, the only operator with a reason excepted": lambda grant: (
        grant.kind is GrantKind.CONSENT
        or grant.by is not Grantor.REQUESTER
        or (grant.is_operator and grant.is_alone and grant.has_reason)
    ),
    "four eyes are two people, the only operator with a reason excepted": lambda grant: (
        grant.kind is GrantKind.CONSENT
        or not (grant.four_eyes and grant.is_driver)
        or (grant.is_alone and grant.has_reason)
    ),
    "approval follows consent": lambda grant: (
        grant.kind is GrantKind.CONSENT or grant.follows_consent
    ),
}


def _should_count(grant: Grant) -> bool:
    if not (grant.is_bound and grant.is_live and grant.is_unused):
        return False
    if grant.kind is GrantKind.CONSENT:
        return grant.by is Grantor.REQUESTER
    is_plain = grant.by is Grantor.OPERATOR and not (grant.four_eyes and grant.is_driver)
    is_glass = grant.is_operator and grant.is_alone and grant.has_reason
    return grant.follows_consent and (is_plain or is_glass)


@dataclass(frozen=True, slots=True)
class Breach:
    """A case that a policy gets wrong, and what it breaks."""

    invariant: str
    case: Call | Grant
    judgement: Judgement | bool


@dataclass(frozen=True, slots=True)
class Checked:
    """How many cases were walked, and the first breaches that were found."""

    cases: int
    breaches: tuple[Breach, ...]


def check(
    policy: Policy | None = None, grant_policy: GrantPolicy | None = None, *, stop_after: int = 10
) -> Checked:
    """Hold a policy against every case; ends after ``stop_after`` breaches."""
    walked, found = 0, list[Breach]()
    every = chain(_grant_breaches(grant_policy or GrantPolicy()), _breaches(policy or Policy()))
    for breach in every:
        walked += 1
        if breach is not None:
            found.append(breach)
            if len(found) >= stop_after:
                break
    return Checked(walked, tuple(found))


def _breaches(policy: Policy) -> Iterator[Breach | None]:
    for case in cases():
        judgement = judge(policy, case)
        verdict = judgement.verdict
        if verdict is Verdict.REFUSE:
            broken = "what nothing speaks against goes on" if _is_refused_needlessly(case) else None
        else:
            broken = next(
                (name for name, holds in NOT_REFUSED.items() if not holds(case, verdict)), None
            )
        if broken is None and _depends_on_anothers_snapshot(policy, case, judgement):
            broken = "a snapshot changes nothing for anybody but its requester"
        yield Breach(broken, case, judgement) if broken else None


def _depends_on_anothers_snapshot(policy: Policy, case: Call, judgement: Judgement) -> bool:
    if case.relation is Relation.OWN or case.granted != _EVERYBODYS_CONTROLS:
        return False
    return judge(policy, case._replace(granted=_ALL_CONTROLS)) != judgement


def _grant_breaches(policy: GrantPolicy) -> Iterator[Breach | None]:
    for grant in grants():
        counted = counts(policy, grant)
        broken = None
        if counted:
            broken = next((name for name, holds in COUNTED.items() if not holds(grant)), None)
        elif _should_count(grant):
            broken = "a yes that nothing speaks against counts"
        yield Breach(broken, grant, counted) if broken else None
