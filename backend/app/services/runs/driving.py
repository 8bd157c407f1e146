"""What the engine must be told about a graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Durability

from backend.app.db.uow import Work
from backend.app.domain.runs import NOTHING, Claim, Telling
from backend.app.services.runs.endings import Ending


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether the thread is over, so that nobody will go on with it and its checkpoints may go; and
    what is to be told of its end.
    """

    is_over: bool
    telling: Telling = NOTHING


class Driver(Protocol):
    """What the engine must be told about a graph."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    #: ``sync`` saves every step before the next; ``exit`` saves where a run pauses or ends, and is
    #: for graphs whose steps may be taken again from there: all they do to the world is recorded
    #: elsewhere.
    durability: Durability

    def context(self, claim: Claim, prepared: Any, /) -> Any:
        """The run's typed context, out of what was handed to its launch; never saved."""

    def is_urgent(self, told: object) -> bool:
        """Whether what a node told is to be stored before the run goes on; what is not goes along
        with the next that is, or with how the run ends.
        """

    def watch(self, context: Any, switched: Mapping[str, bool]) -> None:
        """Look, whenever something urgent is stored, whether the run may go on; ``switched`` are
        the switches as they were set then.

        Raises:
            RunStopped: it may not.
        """

    async def again(self, claim: Claim, /) -> tuple[object, Any]:
        """What a run that is taken over is given: what its dead process had accepted and not yet
        saved, or None to go on where its checkpoint stands; and what its context is made from.

        Raises:
            RunStopped: it is not to go on.
        """

    def telling(self, context: Any, told: Sequence[object]) -> Telling:
        """What nodes told through their stream writer, as it is to be stored."""

    def is_kept(self, told: object) -> bool:
        """Whether `keep` has something to store of it."""

    async def keep(self, work: Work, context: Any, told: Sequence[object]) -> None:
        """Store what of that stands in rows of the graph's own, before the telling."""

    async def settle(self, work: Work, claim: Claim, context: Any, ending: Ending) -> Settled:
        """Store how the run ended, in the transaction that gives the claim back. ``context`` is
        None of a thread that was ended without being driven.
        """
