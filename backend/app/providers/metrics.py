"""Metrics in the Prometheus text format: timings of this process, and counters kept from facts in
the database.
"""

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class _FactCounters(Collector):
    def __init__(
        self, counters: Iterable[tuple[str, dict[str, str], int]], help_texts: Mapping[str, str]
    ) -> None:
        self._counters = list(counters)
        self._help = help_texts

    def collect(self) -> Iterator[CounterMetricFamily]:
        families: dict[str, CounterMetricFamily] = {}
        for name, labels, value in self._counters:
            if name not in families:
                families[name] = CounterMetricFamily(
                    name, self._help.get(name, name), labels=list(labels)
                )
            families[name].add_metric(list(labels.values()), value)
        yield from families.values()


class PrometheusMetrics:
    """This process's request metrics, and the page that a scrape gets."""

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

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count and time one request; ``route`` is a template, so that the number of series is
        bounded.
        """
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def page(
        self, counters: Iterable[tuple[str, dict[str, str], int]], help_texts: Mapping[str, str]
    ) -> tuple[bytes, str]:
        """The text of a scrape and its content type."""
        facts = CollectorRegistry()
        facts.register(_FactCounters(counters, help_texts))
        return generate_latest(self._registry) + generate_latest(facts), CONTENT_TYPE_LATEST
