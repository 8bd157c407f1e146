"""Run one helpdesk: database, schema, sample data, API and page, until Ctrl-C. Started by
``scripts/serve``.
"""

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import uvicorn
from pydantic import TypeAdapter, ValidationError

from backend.app.bootstrap import build
from backend.app.core.errors import AppError
from backend.app.core.settings import (
    Environment,
    ObservabilitySettings,
    ServerSettings,
    Settings,
    UnsafeSettings,
)
from backend.app.db.embedded import EmbeddedPostgres
from backend.app.domain.knowledge import SAMPLE_COLLECTION
from backend.app.domain.principals import Role
from backend.app.main import create_app
from backend.app.services.identity.accounts import Accounts, UsernameTaken
from backend.app.services.identity.demo import DemoPeople, DemoPerson
from backend.app.services.knowledge.reading import read_folder
from scripts.instance import (
    SAMPLE_ARTICLES,
    database,
    migrate_database,
    read_private,
    what_is_wrong,
    write_private,
)
from scripts.provision import default_data
from scripts.serving import Http, LeavingServer

_GRACE_SECONDS = 10
_HEAD_BYTES = 65_536
_CONNECTIONS = 200
_PEOPLE = TypeAdapter(list[DemoPerson])


class CannotServe(Exception):
    """The server cannot start; the message says why and what to do."""


class DatabaseEnded(Exception):
    """The embedded database ended while we served; the message says where to look."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="serve", description="Run the helpdesk on this machine.")
    parser.add_argument(
        "--port", type=int, help="port to listen on (default 8000; 0 takes a free one)"
    )
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--data",
        type=Path,
        default=default_data(),
        help="folder for database, logs and demo accounts",
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        help="four demo people, printed and written to DATA/demo.json",
    )
    parser.add_argument(
        "--sample-kb", action="store_true", help="load the sample articles into any database"
    )
    parser.add_argument("--no-ui", action="store_true", help="API only")
    parser.add_argument(
        "--insecure-http",
        action="store_true",
        help="serve other machines without TLS (passwords travel in the clear)",
    )
    return parser.parse_args()


def _settings(arguments: argparse.Namespace) -> Settings:
    settings = Settings()
    server = {
        "host": arguments.host,
        "port": arguments.port,
        "insecure_http": arguments.insecure_http or None,
        "ui_enabled": False if arguments.no_ui else None,
    }
    given = {name: value for name, value in server.items() if value is not None}
    logs = {} if settings.observability.log_dir else {"log_dir": arguments.data / "logs"}
    return settings.model_copy(
        update={
            # Made anew rather than copied, so that options are held to the same rules.
            "server": ServerSettings.model_validate(given),
            "observability": ObservabilitySettings.model_validate(logs),
        }
    )


def _listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that a taken port is known before anything else happens."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Says that it is TCP, or asyncio leaves Nagle's delay on: 40 ms for each answer.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotServe(
            f"Cannot listen on {host}:{port} ({reason}). Choose another with --port N."
        ) from error
    return listener


async def _prepare(
    settings: Settings, arguments: argparse.Namespace, *, embedded: bool
) -> list[str]:
    """Migrate and fill what is empty; what to tell the person who started it."""
    await migrate_database(settings)
    async with build(settings) as built:
        wanted = (embedded or arguments.demo) and not await built.library.was_removed(
            SAMPLE_COLLECTION
        )
        if wanted or arguments.sample_kb:
            articles = read_folder(SAMPLE_ARTICLES)
            await built.library.bring_up_to_date(SAMPLE_COLLECTION, articles, sample=True)
        if arguments.demo:
            path = arguments.data / "demo.json"
            known = _known_demo_people(path)
            people = await DemoPeople(built.accounts, built.sign_in).ensure(known)
            write_private(path, {"accounts": _PEOPLE.dump_python(people, mode="json")})
            return [f"Demo people (also in {path}):", *(_line(person) for person in people)]
        return await _first_administrator(built.accounts, _admin(arguments.data))


def _admin(data: Path) -> str:
    """The admin command as it is to be typed for this data folder."""
    return "./scripts/admin" if data == default_data() else f'./scripts/admin --data "{data}"'


async def _first_administrator(accounts: Accounts, admin: str) -> list[str]:
    if known := await accounts.list_all():
        if len(known) == 1 and known[0].role is Role.ADMIN and known[0].must_change_password:
            name = known[0].username
            return [f"({name} still has a one-time password: {admin} users reset-password {name})"]
        return []
    try:
        _, password = await accounts.add("admin", display_name="Administrator", role=Role.ADMIN)
    except UsernameTaken:
        return []  # another replica was quicker, and has told the password
    return [
        "First start: sign in as  admin  with this one-time password, shown only now:",
        f"    {password}",
        f"(lost it? {admin} users reset-password admin)",
    ]


def _known_demo_people(path: Path) -> list[DemoPerson]:
    stored = read_private(path)
    try:
        return _PEOPLE.validate_python(stored["accounts"] if stored else [])
    except (ValidationError, KeyError, TypeError):
        return []  # not ours to read any more: they are made anew


def _line(person: DemoPerson) -> str:
    who = f"{person.role.value:<9}  {person.username:<5}"
    return f"    {who}  password {person.password}  token {person.token}"


class _Server(LeavingServer):
    """Says where it is once it listens, and ends when its embedded database has ended."""

    def __init__(
        self,
        config: uvicorn.Config,
        leave: Callable[[], None],
        lines: list[str],
        database: EmbeddedPostgres | None,
    ) -> None:
        super().__init__(config, leave)
        self._lines = lines
        self._database = database

    async def on_tick(self, counter: int) -> bool:
        if self._database is not None and self._database.has_ended:
            self.config.timeout_graceful_shutdown = 1  # no answer can come any more
            return True
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            sys.stdout.write("\n".join(["", *self._lines, ""]))
            sys.stdout.flush()


def _address(settings: Settings, listener: socket.socket) -> str:
    if settings.server.public_url:
        return settings.server.public_url
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname(), "::1": "[::1]"}.get(
        host, host
    )
    return f"http://{shown}:{port}"


def run(arguments: argparse.Namespace) -> None:
    """Serve until stopped; takes down whatever it started."""
    settings = _settings(arguments)
    settings.refuse_if_unsafe()
    if arguments.demo and settings.server.environment is Environment.PRODUCTION:
        raise CannotServe("--demo is refused with HELPDESK_ENVIRONMENT=production.")
    with ExitStack() as held:
        listener = held.enter_context(_listen(settings.server.host, settings.server.port))
        with _data_in_use(arguments.data):
            settings, server = held.enter_context(database(settings, arguments.data))
            embedded = server is not None
            told = asyncio.run(_prepare(settings, arguments, embedded=embedded))
            address = _address(settings, listener)
            held.callback(_forget_running, arguments.data)
            _note_running(settings, arguments.data, address, embedded=embedded)
        app = create_app(settings, demo=arguments.demo)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            http=Http,
            h11_max_incomplete_event_size=_HEAD_BYTES,
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        lines = [*told, f"Helpdesk is running at {address}", "Stop it with Ctrl-C."]
        _Server(config, app.leave, lines, server).run(sockets=[listener])
        if server is not None and server.has_ended:
            raise DatabaseEnded(
                f"the embedded database ended by itself. {server.data_dir / 'postgres.log'} says"
                " why; start again, and what was stored is there."
            )


@contextmanager
def _data_in_use(data: Path) -> Iterator[None]:
    """Turn a disk's refusal into a sentence."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise CannotServe(
            f"The data folder {data} cannot be used: {error.strerror or error}{where}."
        ) from error


def _forget_running(data: Path) -> None:
    """Remove our note; another instance's on the same folder stays."""
    path = data / "server.json"
    with suppress(OSError):  # it is only a hint, and the end must go on
        note = read_private(path)
        if isinstance(note, dict) and note.get("pid") == os.getpid():
            path.unlink()


def _note_running(settings: Settings, data: Path, address: str, *, embedded: bool) -> None:
    """Leave word for commands beside the server; an address with a password in it stays out."""
    url = settings.database.url.get_secret_value() if embedded and settings.database.url else None
    note = {"pid": os.getpid(), "address": address, "database_url": url}
    write_private(data / "server.json", note)


def _stop(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """The command."""
    # uvicorn raises a signal anew after its own shutdown; the default action would skip ours.
    signal.signal(signal.SIGTERM, _stop)
    # A closed terminal is a request to stop like any other.
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    arguments = _arguments()
    arguments.data = arguments.data.expanduser().resolve()
    try:
        run(arguments)
    except (AppError, UnsafeSettings, CannotServe) as error:
        raise SystemExit(f"Cannot start: {error}") from error
    except ValidationError as error:
        raise SystemExit(
            f"Cannot start: a setting is not valid ({what_is_wrong(error)})"
        ) from error
    except DatabaseEnded as error:
        raise SystemExit(f"Stopped: {error}") from error
    except KeyboardInterrupt:
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
