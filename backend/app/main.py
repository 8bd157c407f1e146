"""The application object: routers, error handlers, middleware order, lifespan; nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Lifespan

from backend.app import __version__
from backend.app.api import (
    auth,
    chat,
    errors,
    escalation,
    health,
    helpdesk,
    integrations,
    knowledge,
    metrics,
    telemetry,
    tickets,
    triage,
    ui,
)
from backend.app.api.middleware import (
    BodyLimit,
    HeadIsGet,
    HostCheck,
    LastResort,
    Measure,
    SecurityHeaders,
)
from backend.app.api.turnstile import Turnstile
from backend.app.bootstrap import AgentParts, Container, background, build, ui_dir
from backend.app.core.clock import Clock
from backend.app.core.logging import configure
from backend.app.core.settings import Settings

_SLACK_SECONDS = 5.0


class Application(FastAPI):
    """FastAPI, with our middleware around all of its own: its error pages get our headers too."""

    def __init__(self, settings: Settings, lifespan: Lifespan[FastAPI]) -> None:
        # An agent's run ends within its active time and a grace, and its caller may wait for it.
        agent_seconds = settings.agent.deadline_seconds + settings.runs.grace_seconds
        longer = dict.fromkeys(helpdesk.WAITING, agent_seconds + _SLACK_SECONDS)
        super().__init__(
            title="Helpdesk Agent",
            version=__version__,
            lifespan=lifespan,
            docs_url=None,
            redoc_url=None,
            openapi_url=None,
            redirect_slashes=False,
            # Inside the framework's own page for faults, which would answer first.
            middleware=[
                Middleware(LastResort, seconds=settings.server.request_seconds, longer=longer),
                Middleware(Turnstile, at_once=settings.server.requests_at_once),
            ],
        )
        self._server = settings.server

    def leave(self) -> None:
        """Begin no run any more; who asks for one is told so. A signal may call this."""
        services: Container | None = getattr(self.state, "services", None)
        if services is not None:  # it has come to serve
            services.runs.is_draining = True

    def build_middleware_stack(self) -> ASGIApp:
        """The stack, outermost last."""
        stack: ASGIApp = super().build_middleware_stack()
        stack = HeadIsGet(stack)
        stack = BodyLimit(stack, limit=self._server.max_body_bytes)
        stack = HostCheck(stack, allowed=self._server.allowed_hosts)
        stack = SecurityHeaders(stack, https=self._server.is_https)
        return Measure(stack)


def create_app(
    settings: Settings | None = None,
    *,
    clock: Clock | None = None,
    demo: bool = False,
    agent_with: AgentParts | None = None,
) -> Application:
    """The whole application over ``settings``, or over the environment when none are handed in.

    The rest is handed on to `build`.

    Raises:
        UnsafeSettings: the settings would expose people's passwords or data.
    """
    settings = settings or Settings()
    settings.refuse_if_unsafe()
    configure(settings.observability.log_level, settings.observability.log_format)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            build(settings, clock=clock, demo=demo, agent_with=agent_with) as container,
            background(container),
        ):
            app.state.services = container
            yield

    app = Application(settings, lifespan)
    errors.install(app)
    for router in (
        health.router,
        auth.public,
        auth.router,
        chat.router,
        knowledge.router,
        helpdesk.router,
        escalation.router,
        triage.router,
        tickets.router,
        integrations.router,
        telemetry.router,
        metrics.router,
    ):
        app.include_router(router)
    app.state.ui = ui.install(app, ui_dir(settings), enabled=settings.server.ui_enabled)
    return app
