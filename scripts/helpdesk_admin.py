"""What an administrator does at the terminal. Works while the server runs and while it does not."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from pydantic import ValidationError

from backend.app.bootstrap import Container
from backend.app.core.errors import AppError
from backend.app.domain.principals import Role
from backend.app.services.knowledge.reading import read_folder, read_json_lines
from scripts.instance import attached, what_is_wrong
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
    return parser


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
    try:
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
