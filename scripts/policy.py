"""The policy of gates at the terminal: held against every case, or one case in plain words."""

import argparse
import sys
import time
from enum import StrEnum
from typing import Any

from backend.app.domain.gate_invariants import check
from backend.app.domain.gates import (
    Actor,
    Call,
    ChangeTier,
    Control,
    HostNeed,
    Policy,
    Relation,
    Verdict,
    Why,
    judge,
)
from backend.app.domain.lifecycle import BlockedOn, Standing
from backend.app.domain.tickets import TicketStatus

_VERDICTS = {
    Verdict.RUN: "It runs.",
    Verdict.RUN_AND_RECORD: "It runs, and the ticket's trail records it.",
    Verdict.HOLD_FOR_CONSENT: "It waits for the requester's consent.",
    Verdict.HOLD_FOR_APPROVAL: "It waits for an operator's approval.",
    Verdict.REFUSE: "It is refused.",
}
_REASONS = {
    Why.HARMLESS: "It only looks, and nothing private.",
    Why.STANDARD: "It is a standard change, or a look at what an untrusted text named.",
    Why.APPROVED: "An operator's approval counts for it.",
    Why.NEEDS_APPROVAL: "It is a normal change, or a standard one on what an untrusted text named.",
    Why.NEEDS_CONSENT: "It touches a person's own matter, and no consent counts for it.",
    Why.KILLED: "The kill switch is on.",
    Why.NOT_WORKABLE: "Where the ticket stands, this actor's turn runs nothing.",
    Why.NOT_YOURS: "A requester works on their own tickets only.",
    Why.NARROWED: "Host scope, profile, surface or the requester's snapshot leave the tool out.",
    Why.SYSTEM_ONLY: "The tool is the program's own.",
    Why.NO_HOST: "The tool works on a host, and the ticket has none.",
    Why.NOBODY_TO_CONSENT: "It touches a person's own matter, and the ticket is nobody's.",
    Why.LOOKING_ONLY: "By itself the program only looks, and at nothing private.",
}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _check(_: argparse.Namespace) -> None:
    began = time.monotonic()
    checked = check()
    took = time.monotonic() - began
    for breach in checked.breaches:
        _say(
            f"BREACH  {breach.invariant}\n        {breach.case}\n        judged {breach.judgement}"
        )
    _say(f"{checked.cases} cases, {len(checked.breaches)} counter-examples, {took:.1f} s")
    if checked.breaches:
        raise SystemExit(1)


def _case(arguments: argparse.Namespace) -> Call:
    withheld = {Control(one) for one in arguments.without}
    return Call(
        tier=None if arguments.tier == "unknown" else ChangeTier(arguments.tier),
        touches_privacy=arguments.private,
        is_system_only=arguments.system_only,
        host=HostNeed(arguments.host),
        is_tainted=arguments.tainted,
        actor=Actor(arguments.actor),
        relation=Relation(arguments.relation),
        granted=frozenset(Control) - withheld,
        standing=Standing(
            TicketStatus(arguments.status),
            BlockedOn(arguments.blocked_on) if arguments.blocked_on else None,
        ),
        is_killed=arguments.killed,
        has_consent=arguments.consent,
        has_approval=arguments.approval,
    )


def _explain(arguments: argparse.Namespace) -> None:
    verdict, why = judge(Policy(), _case(arguments))
    _say(f"{_VERDICTS[verdict]} {_REASONS[why]}")


def _choices(members: type[StrEnum]) -> list[str]:
    return [member.value for member in members]


def add_policy_verbs(nouns: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The verbs below ``policy``; none of them needs a database."""
    verbs = nouns.add_parser(
        "policy", help="which tools may run, for whom, on whose yes"
    ).add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("check", help="hold the policy against every case there can be")
    verb.set_defaults(offline=_check)
    verb = verbs.add_parser("explain", help="what becomes of one call, in plain words")
    options: list[tuple[str, dict[str, Any]]] = [
        ("--tier", {"choices": [*_choices(ChangeTier), "unknown"], "default": "read_only"}),
        ("--actor", {"choices": _choices(Actor), "default": "requester"}),
        ("--relation", {"choices": _choices(Relation), "default": "own"}),
        ("--host", {"choices": _choices(HostNeed), "default": "bound"}),
        ("--status", {"choices": _choices(TicketStatus), "default": "in_progress"}),
        ("--blocked-on", {"choices": _choices(BlockedOn)}),
        ("--without", {"choices": _choices(Control), "action": "append", "default": []}),
    ]
    for flag in ("private", "tainted", "system-only", "killed", "consent", "approval"):
        options.append((f"--{flag}", {"action": "store_true"}))
    for name, how in options:
        verb.add_argument(name, **how)
    verb.set_defaults(offline=_explain)
