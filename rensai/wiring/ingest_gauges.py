"""The numbers of the ingest queue, for Prometheus."""

from rensai.kit.web.metrics import Gauge
from rensai.rooms.ingest.door import Figures


def ingest_gauges(now: Figures) -> list[Gauge]:
    """Depth, lag and outcomes of each kind of item."""
    gauges: list[Gauge] = []
    for queue in now.queues:
        states = {
            "due": queue.due,
            "later": queue.later,
            "running": queue.running,
            "failed": queue.failed,
            "dead_letter": queue.dead,
        }
        for state, count in states.items():
            labels = {"queue": queue.job_type, "state": state}
            gauges.append(
                Gauge("rensai_ingest_jobs", "Pushed items not done.", float(count), labels)
            )
        gauges.append(
            Gauge(
                "rensai_ingest_lag_seconds",
                "How long the oldest pushed item that is due has waited.",
                queue.lag_seconds,
                {"queue": queue.job_type},
            )
        )
    for total in now.totals:
        labels = {"queue": total.job_type, "outcome": total.outcome, "code": total.code}
        gauges.append(
            Gauge(
                "rensai_ingest_items_total",
                "Pushed items by how they ended; a retried one ends again.",
                float(total.count),
                labels,
                counts=True,
            )
        )
    return gauges
