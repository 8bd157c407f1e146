"""Metrics in the Prometheus text format: timings of this process, and counters kept from facts in
the database.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

CHECKPOINT_OPS = ("read", "write", "delete", "expire")
CHECKPOINT_OUTCOMES = ("ok", "refused", "cancelled", "error")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


Counters = Iterable[tuple[str, dict[str, str], float]]


def _place(counter: tuple[str, dict[str, str], float]) -> tuple[str, str, float]:
    """Where a counter stands among the others: a distribution's bounds in rising order."""
    name, labels, _ = counter
    rest = {label: value for label, value in labels.items() if label != "le"}
    return name, str(sorted(rest.items())), float(labels.get("le", 0))


class _FactCounters(Collector):
    """Counters and distributions kept from facts. Of a distribution there are counters with the
    endings ``_bucket`` (each with its bound as ``le``), ``_sum`` and ``_count``.
    """

    def __init__(
        self, counters: Counters, help_texts: Mapping[str, str], distributions: Collection[str]
    ) -> None:
        self._counters = sorted(counters, key=_place)
        self._help = help_texts
        self._distributions = distributions

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for name, labels, value in self._counters:
            base = name.rpartition("_")[0]
            is_spread = base in self._distributions
            family = base if is_spread else name.removesuffix("_total")
            if family not in families:
                kind = "histogram" if is_spread else "counter"
                families[family] = Metric(
                    family, self._help.get(base if is_spread else name, family), kind
                )
            families[family].add_sample(name, labels, value)
        yield from families.values()


class PrometheusMetrics:
    """This process's own metrics, and the page that a scrape gets.

    They begin at zero with the process and are in no file, so a worker that dies leaves nothing
    behind, and Prometheus takes the new one's for a counter that was set back.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "chatbot_http_requests_total",
            "HTTP requests by method, route template and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "chatbot_http_request_seconds",
            "Time until an answer was sent whole.",
            ["method", "route"],
            buckets=_SECONDS,
            registry=self._registry,
        )

        self._checkpoints = Counter(
            "chatbot_helpdesk_agent_checkpoint_total",
            "Operations on checkpoints by how they ended.",
            ["op", "outcome"],
            registry=self._registry,
        )
        self._page_events = Counter(
            "chatbot_page_events_total",
            "What happened in the page, by the event's name and properties.",
            ["event", "detail"],
            registry=self._registry,
        )
        for op in CHECKPOINT_OPS:
            for outcome in CHECKPOINT_OUTCOMES:
                self._checkpoints.labels(op, outcome)

    def count_page_event(self, event: str, detail: str) -> None:
        """Count something that happened in a page; both are of closed sets."""
        self._page_events.labels(event, detail).inc()

    def count_checkpoint(self, op: str, outcome: str) -> None:
        """Count one operation on checkpoints; both are of the closed sets."""
        self._checkpoints.labels(op, outcome).inc()

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count and time one request; ``route`` is a template, so that the number of series is
        bounded.
        """
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def page(
        self, counters: Counters, help_texts: Mapping[str, str], distributions: Collection[str]
    ) -> tuple[bytes, str]:
        """The text of a scrape and its content type."""
        facts = CollectorRegistry()
        facts.register(_FactCounters(counters, help_texts, distributions))
        return generate_latest(self._registry) + generate_latest(facts), CONTENT_TYPE_LATEST
