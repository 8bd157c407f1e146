"""The recipe for a new tool (CONTRIBUTING, *Adding a tool*), followed in a copy of the sources.

Each edit stands behind the line that does the same for the web search. The graph is not among the
files: its nodes and routes follow the catalogue.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[5]
GRAPH = "services/helpdesk_graph"

#: File, the line behind which something is added, and what.
RECIPE = (
    ("domain/sessions.py", '    WEB_SEARCH = "web_search"\n', '    ALMANAC = "almanac"\n'),
    (
        "domain/sessions.py",
        '        NextAction.WEB_SEARCH: "web_search",\n',
        '        NextAction.ALMANAC: "ask_almanac",\n',
    ),
    (
        "services/tools/bounded.py",
        '    "web_search": Bounds(10.0, retries=1),\n',
        '    "ask_almanac": Bounds(1.0),\n',
    ),
    ("domain/budgets.py", "    web_search: bool = True\n", "    almanac: bool = True\n"),
    ("domain/budgets.py", "    web_searches: int = 0\n", "    almanacs: int = 0\n"),
    (
        "domain/budgets.py",
        "        (NextAction.WEB_SEARCH, tools.web_search, spent.web_searches,"
        " budgets.tool_retries),\n",
        "        (NextAction.ALMANAC, tools.almanac, spent.almanacs, budgets.tool_retries),\n",
    ),
    ("core/settings.py", "    tool_web_search: bool = True\n", "    tool_almanac: bool = True\n"),
    (
        "services/helpdesk/flags.py",
        '    TOOL_WEB_SEARCH = "tool_web_search"\n',
        '    TOOL_ALMANAC = "tool_almanac"\n',
    ),
    (
        "services/helpdesk/flags.py",
        "            web_search=self.is_on(Flag.TOOL_WEB_SEARCH),\n",
        "            almanac=self.is_on(Flag.TOOL_ALMANAC),\n",
    ),
    (
        f"{GRAPH}/state.py",
        "    web_search_attempts: int\n",
        "    almanac_attempts: int\n"
        "    almanac_results: list[dict[str, str]]\n"
        "    last_almanac_query: list[str]\n",
    ),
    (
        f"{GRAPH}/tools.py",
        "                find=self.web_search,\n            ),\n",
        "            Tool(\n"
        "                NextAction.ALMANAC,\n"
        '                attempts="almanac_attempts",\n'
        '                results="almanac_results",\n'
        '                asked="last_almanac_query",\n'
        '                place="the almanac",\n'
        "                limit=lambda budgets: budgets.tool_retries,\n"
        "                is_on=lambda tools: tools.almanac,\n"
        "                find=self.almanac,\n"
        "            ),\n",
    ),
    (
        f"{GRAPH}/tools.py",
        "            web_search=switched_on.web_search and has_web,\n",
        "            almanac=switched_on.almanac,\n",
    ),
    (
        f"{GRAPH}/tools.py",
        "        return await web_search_documents(self.web, query)\n",
        "\n    async def almanac(self, query: str, _actor: UserId) -> Sequence[Any]:\n"
        '        """What the almanac says."""\n'
        '        return [{"says": query}]\n',
    ),
    (
        f"{GRAPH}/nodes/supervisor.py",
        '        web_searches=state.get("web_search_attempts", 0),\n',
        '        almanacs=state.get("almanac_attempts", 0),\n',
    ),
)

#: Drives the compiled graph in the copy; whoever decides wants the almanac whenever it may be used.
JOURNEY = """
import asyncio
from uuid import UUID, uuid4

from langgraph.checkpoint.memory import InMemorySaver

from backend.app.core.clock import SystemClock
from backend.app.core.settings import AgentSettings
from backend.app.domain.sessions import AgentSessionId, NextAction, ToolBudgets
from backend.app.services.counters import movements
from backend.app.services.helpdesk.flags import Flags
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk_graph.beginning import first_state
from backend.app.services.helpdesk_graph.graph import build_helpdesk_graph
from backend.app.services.helpdesk_graph.nodes.steps import RunContext
from backend.app.services.helpdesk_graph.rules import Decision
from backend.app.services.helpdesk_graph.tools import AgentTools
from backend.tests.support.agent import a_session


class Wants:
    async def decide(self, situation, allowed):
        wanted = NextAction.ALMANAC if NextAction.ALMANAC in allowed else NextAction.WRITE_DRAFT
        return Decision(wanted, "it is wanted")


async def journey(settings):
    tools = AgentTools(None, None, None)
    graph = build_helpdesk_graph(InMemorySaver(), Wants(), ToolBudgets(turns=4), tools, Leaving())
    session = a_session(uuid4(), UUID(int=1))
    clock = SystemClock()
    context = RunContext(session, clock, clock.monotonic() + 60, Flags(settings, {}).tools)
    told = []
    state = first_state(AgentSessionId(session.id), None, [("user", "the vpn drops")])
    config = {"configurable": {"thread_id": str(session.id)}}
    async for one in graph.astream(state, config, context=context, stream_mode="custom"):
        told.append((one.action, one.status.value, one.is_cached))
    return told, (await graph.aget_state(config)).values


told, state = asyncio.run(journey(AgentSettings()))
used = [one[1:] for one in told if one[0] == "almanac" and one[1] != "running"]
assert used == [("ok", False), ("ok", True), ("ok", True), ("ok", True)], told
assert state["almanac_attempts"] == 1, state
assert state["almanac_results"] == [{"says": "the vpn drops"}], state
assert "the almanac" in state["body_preview"][0], state["body_preview"]
told, state = asyncio.run(journey(AgentSettings(tool_almanac=False)))
assert [one[0] for one in told] == ["write_draft"], told
fact = {"tool": "ask_almanac", "outcome": "ok", "duration_ms": 1}
moved = movements("agent.tool_call", fact)
labels = {one.name.rpartition("agent_")[2]: one.labels for one in moved}
assert labels["step_total"] == {"step": "almanac", "outcome": "ok"}, labels
assert labels["tool_total"] == {"tool": "ask_almanac", "outcome": "ok", "reason": "ok"}, labels
print("followed")
"""


def test_the_recipe_is_enough(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "backend", tmp_path / "backend")
    for name, behind, added in RECIPE:
        path = tmp_path / "backend" / "app" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(behind) == 1, f"{name}: {behind!r} is not there once"
        path.write_text(text.replace(behind, behind + added), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", JOURNEY], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.stdout == "followed\n", done.stderr
