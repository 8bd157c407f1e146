"""What an administrator does at the terminal. Works while the server runs and while it does not."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

from pydantic import ValidationError

from backend.app.bootstrap import Container
from backend.app.core.errors import AppError
from backend.app.core.logging import configure
from backend.app.domain.principals import Role, user_id_hash
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import AgentSessionId
from backend.app.schemas.helpdesk import AgentSession
from backend.app.services.helpdesk.flags import Flag
from backend.app.services.knowledge.reading import read_folder, read_json_lines
from scripts import doctor
from scripts.instance import attached, what_is_wrong
from scripts.policy import add_policy_verbs
from scripts.provision import default_data

Verb = Callable[[Container, argparse.Namespace], Awaitable[None]]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


async def _import(built: Container, arguments: argparse.Namespace) -> None:
    sources = read_folder(arguments.dir) if arguments.dir else read_json_lines(arguments.jsonl)
    name = arguments.collection or (arguments.dir or arguments.jsonl).resolve().stem
    report = await built.library.bring_up_to_date(name, sources)
    _say(
        f"{name}: {report.added} added, {report.changed} changed, {report.unchanged} unchanged,"
        f" {report.removed} removed"
    )


async def _remove(built: Container, arguments: argparse.Namespace) -> None:
    articles = await built.library.remove(arguments.collection)
    _say(f"{arguments.collection}: {articles} articles removed")


async def _add_user(built: Container, arguments: argparse.Namespace) -> None:
    _, password = await built.accounts.add(
        arguments.username,
        display_name=arguments.name or arguments.username,
        role=Role(arguments.role),
    )
    _say(f"{arguments.username}: one-time password {password}")


async def _list_users(built: Container, _: argparse.Namespace) -> None:
    for user in await built.accounts.list_all():
        state = "active" if user.is_active else "disabled"
        _say(f"{user.username}\t{user.role}\t{state}\t{user.display_name}")


async def _reset_password(built: Container, arguments: argparse.Namespace) -> None:
    password = await built.accounts.reset_password(arguments.username)
    _say(f"{arguments.username}: one-time password {password}")


async def _set_role(built: Container, arguments: argparse.Namespace) -> None:
    await built.accounts.set_role(arguments.username, Role(arguments.role))
    _say(f"{arguments.username}: {arguments.role}")


async def _disable(built: Container, arguments: argparse.Namespace) -> None:
    await built.accounts.disable(arguments.username)
    _say(f"{arguments.username}: disabled")


async def _enable(built: Container, arguments: argparse.Namespace) -> None:
    await built.accounts.enable(arguments.username)
    _say(f"{arguments.username}: enabled")


def _told(view: AgentSession) -> str:
    """One session in one line."""
    how = view.outcome or view.status
    reason = f" ({view.reason})" if view.reason else ""
    return f"{view.session_id}\t{view.created_at:%Y-%m-%d %H:%M}\t{how}{reason}"


async def _list_sessions(built: Container, arguments: argparse.Namespace) -> None:
    of = None
    if arguments.user_id_hash is not None:
        users = await built.accounts.list_all()
        hashes = {user_id_hash(user.id): user.id for user in users}
        if arguments.user_id_hash not in hashes:
            raise SystemExit(f"Refused: nobody has the hash {arguments.user_id_hash}.")
        of = hashes[arguments.user_id_hash]
    for owner, view in await built.agent_sessions.recent(limit=arguments.limit, of=of):
        _say(f"{_told(view)}\t{user_id_hash(owner)}")


async def _show_session(built: Container, arguments: argparse.Namespace) -> None:
    view = await built.agent_sessions.view_unscoped(AgentSessionId(arguments.session_id))
    _say(view.model_dump_json(indent=2))


async def _abort_session(built: Container, arguments: argparse.Namespace) -> None:
    session_id = AgentSessionId(arguments.session_id)
    await built.agent_sessions.view_unscoped(session_id)
    turn = await built.agent.stopping.end(session_id, AbortReason.USER)
    _say(f"{session_id}: {turn.kind}{f' ({turn.reason})' if turn.reason else ''}")


async def _collect(built: Container, _: argparse.Namespace) -> None:
    swept = await built.agent_sweeps.run()
    _say(f"{swept.expired} sessions expired, {swept.forgotten} threads forgotten")


async def _issues(built: Container, arguments: argparse.Namespace) -> None:
    if arguments.retry is not None:
        if not await built.issues.reopen(arguments.retry):
            raise SystemExit(f"Refused: the tracker has not refused ticket #{arguments.retry}.")
        _say(f"#{arguments.retry}: is looked for, and written if it is not there")
        return
    for one in await built.issues.not_written(limit=arguments.limit):
        answered = f", answered {one.answered}" if one.answered else ""
        due = f", next try {one.due_at:%Y-%m-%d %H:%M:%S}" if one.due_at else ""
        _say(f"#{one.ticket_number}: {one.state}, sent {one.attempts} times{answered}{due}")


async def _fit_categories(built: Container, arguments: argparse.Namespace) -> None:
    if built.embeddings.missing is not None:
        _say(f"Without the embedding model ({built.embeddings.missing}): by words alone.")
    fitted = await built.categories.fit(arguments.jsonl)
    report = fitted.report
    left_out = f" ({fitted.left_out} left out)" if fitted.left_out else ""
    _say(
        f"version {fitted.version}, {report.labels} categories of {report.examples}"
        f" examples{left_out}, digest {fitted.digest[:12]}"
    )
    _say(
        f"on examples it did not see: accuracy {report.accuracy:.3f}, macro-F1"
        f" {report.macro_f1:.3f}, calibration error {report.calibration_error:.3f}"
    )


async def _forget_categories(built: Container, _: argparse.Namespace) -> None:
    await built.categories.forget()
    _say("no fitted categories; the rules hold")


async def _switch(built: Container, arguments: argparse.Namespace) -> None:
    if arguments.flag is not None and arguments.position is not None:
        position = {"on": True, "off": False, "default": None}[arguments.position]
        await built.switchboard.set(Flag(arguments.flag), is_on=position)
    for flag, is_on in (await built.switchboard.positions()).items():
        if arguments.flag in (None, flag.value):
            _say(f"{flag.value}: {'on' if is_on else 'off'}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="helpdesk_admin", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=default_data(), help="data folder (ignored with DATABASE_URL)"
    )
    nouns = parser.add_subparsers(dest="noun", required=True)
    _knowledge_verbs(
        nouns.add_parser("knowledge", help="articles").add_subparsers(dest="verb", required=True)
    )
    _user_verbs(
        nouns.add_parser("users", help="accounts").add_subparsers(dest="verb", required=True)
    )
    _category_verbs(
        nouns.add_parser("categories", help="a site's categories").add_subparsers(
            dest="verb", required=True
        )
    )
    _session_verbs(nouns)
    verb = nouns.add_parser("doctor", help="look at every part and say what is wrong")
    verb.add_argument("--json", action="store_true", help="findings as JSON")
    add_policy_verbs(nouns)
    return parser


def _session_verbs(nouns: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    verb = nouns.add_parser("list", help="the agent's sessions, newest first")
    verb.add_argument("--user-id-hash", help="only those of the person with this hash")
    verb.add_argument("--limit", type=int, default=50)
    verb.set_defaults(run=_list_sessions)
    for name, run, explained in (
        ("show", _show_session, "one session as JSON: where it stands, its steps, what it knows"),
        ("abort", _abort_session, "end one session, whatever it is doing"),
    ):
        verb = nouns.add_parser(name, help=explained)
        verb.add_argument("--session-id", type=UUID, required=True)
        verb.set_defaults(run=run)
    verb = nouns.add_parser("gc", help="end expired sessions and delete what they left behind")
    verb.set_defaults(run=_collect)
    verb = nouns.add_parser("issues", help="tickets that are not in the tracker, and why")
    verb.add_argument("--limit", type=int, default=50)
    verb.add_argument("--retry", type=int, metavar="NUMBER", help="try a refused ticket again")
    verb.set_defaults(run=_issues)
    verb = nouns.add_parser("switch", help="show switches, or set one for all replicas at once")
    verb.add_argument("flag", nargs="?", choices=[flag.value for flag in Flag])
    verb.add_argument("position", nargs="?", choices=["on", "off", "default"])
    verb.set_defaults(run=_switch)


def _knowledge_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    verb = verbs.add_parser(
        "import", help="make a collection hold exactly what a folder or file holds"
    )
    source = verb.add_mutually_exclusive_group(required=True)
    source.add_argument("--dir", type=Path, help="folder of Markdown files")
    source.add_argument(
        "--jsonl", type=Path, help="file with one article per line (id, title, text)"
    )
    verb.add_argument(
        "--collection", help="name of the collection (default: the folder's or file's name)"
    )
    verb.set_defaults(run=_import)
    verb = verbs.add_parser(
        "remove", help="remove a collection with its articles (the samples: --collection sample)"
    )
    verb.add_argument("--collection", required=True)
    verb.set_defaults(run=_remove)


def _category_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    verb = verbs.add_parser("fit", help="learn the categories from labelled texts")
    verb.add_argument(
        "--jsonl", type=Path, required=True, help="file with one example per line (text, label)"
    )
    verb.set_defaults(run=_fit_categories)
    verbs.add_parser("forget", help="go back to the rules").set_defaults(run=_forget_categories)


def _user_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    roles = [role.value for role in Role]
    verb = verbs.add_parser("add", help="make an account with a one-time password")
    verb.add_argument("username")
    verb.add_argument("--name", help="the name others see")
    verb.add_argument("--role", choices=roles, default=Role.REQUESTER.value)
    verb.set_defaults(run=_add_user)
    verbs.add_parser("list", help="all accounts").set_defaults(run=_list_users)
    for name, run, explained in (
        ("reset-password", _reset_password, "a new one-time password; sessions and tokens end"),
        ("disable", _disable, "let nobody in under this account"),
        ("enable", _enable, "let a disabled account in again"),
    ):
        verb = verbs.add_parser(name, help=explained)
        verb.add_argument("username")
        verb.set_defaults(run=run)
    verb = verbs.add_parser("set-role", help="give an account another role")
    verb.add_argument("username")
    verb.add_argument("role", choices=roles)
    verb.set_defaults(run=_set_role)


async def _run(arguments: argparse.Namespace) -> None:
    async with attached(arguments.data.expanduser().resolve()) as built:
        run: Verb = arguments.run
        await run(built, arguments)


def main() -> None:
    """The command."""
    arguments = _parser().parse_args()
    configure("warning", "auto")  # on stderr: stdout is for what was asked
    try:
        if arguments.noun == "doctor":
            data = arguments.data.expanduser().resolve()
            raise SystemExit(doctor.run(data, as_json=arguments.json))
        if arguments.noun == "policy":
            arguments.offline(arguments)
            return
        asyncio.run(_run(arguments))
    except AppError as error:
        raise SystemExit(f"Refused: {error.detail}") from error
    except ValidationError as error:
        raise SystemExit(f"Refused: a setting is not valid ({what_is_wrong(error)})") from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise SystemExit(f"Refused: {where}{error.strerror or error}") from error
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
