"""Is this process alive, can it serve, and how is it doing."""

import asyncio
import hmac
from collections import defaultdict
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from rensai.kit.errors import AuthRequired, Forbidden, RensaiError
from rensai.kit.migrate import pending
from rensai.kit.services import Services
from rensai.kit.tasks.figures_store import Figures, check_queue, figures
from rensai.kit.web.client import is_loopback
from rensai.kit.web.exposition import CONTENT_TYPE, expose
from rensai.kit.web.metrics import Gauge
from rensai.kit.web.siblings import Siblings
from rensai.rooms.ingest import door as ingest
from rensai.wiring.ingest_gauges import ingest_gauges
from rensai.wiring.task_table import TASKS

CHECK_SECONDS = 3.0

_QUEUES = {task.name: task.queue for task in TASKS}
_NO_STORE = {"Cache-Control": "no-store"}


class Check(Struct, frozen=True, omit_defaults=True):
    """One thing that must work before requests can be answered."""

    ok: bool
    ms: float
    problem: str | None = None


class Readiness(Struct, frozen=True, omit_defaults=True):
    """Whether to send requests here, and why not; `degraded` is worse than usual, yet ready."""

    status: str
    checks: dict[str, Check]
    degraded: str | None = None


@get("/healthz", include_in_schema=False, sync_to_thread=False)
def healthz() -> dict[str, str]:
    """Alive: answers as long as the process can answer at all."""
    return {"status": "ok"}


@get("/readyz", include_in_schema=False)
async def readyz(services: NamedDependency[Services]) -> Response[Readiness]:
    """Ready: the database answers, its schema is ours, and the queue can be read."""
    db = services.db

    async def migrations() -> None:
        if missing := await pending(db.primary):
            raise RensaiError(f"{len(missing)} to apply, the first is {missing[0]}")

    names = ("database", "migrations", "queue")
    checks = await asyncio.gather(
        _check(db.check), _check(migrations), _check(lambda: check_queue(db.queue))
    )
    ready = all(check.ok for check in checks)
    return Response(
        Readiness(
            "ready" if ready else "not ready",
            dict(zip(names, checks, strict=True)),
            services.cache.degraded,
        ),
        status_code=200 if ready else 503,
        headers=_NO_STORE,
    )


async def _check(work: Callable[[], Awaitable[None]]) -> Check:
    """Run one check; only our own sentences are shown, a driver's may name hosts and users."""
    began = perf_counter()
    problem: str | None = None
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await work()
    except TimeoutError:
        problem = f"no answer within {CHECK_SECONDS:.0f} seconds"
    except RensaiError as error:
        problem = error.message
    except Exception:  # noqa: BLE001 - whatever is wrong, the answer is that we are not ready
        problem = "it does not work"
    return Check(problem is None, round((perf_counter() - began) * 1000, 1), problem)


@get("/metrics", include_in_schema=False)
async def metrics(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    siblings: NamedDependency[Siblings],
) -> Response[bytes]:
    """Every number, for Prometheus on this machine or with METRICS_TOKEN."""
    _require_leave(request, services.config.metrics_token)
    shared: list[Gauge] = []
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            shared = _queue_gauges(await figures(services.db.queue))
            shared += ingest_gauges(await ingest.figures(services.db.queue, services.clock))
    except (RensaiError, TimeoutError):
        up = 0.0
    else:
        up = 1.0
    shared.append(Gauge("rensai_queue_up", "Whether the task queue can be read.", up))
    text = expose(siblings.figures(), shared)
    return Response(text, media_type=CONTENT_TYPE, headers=_NO_STORE)


def _require_leave(request: Request[Any, Any, Any], token: str | None) -> None:
    """Metrics tell much about a site: they are for its own machine, or for who has the token."""
    if token is not None:
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            raise AuthRequired(
                "Metrics are for who has the METRICS_TOKEN of this server.",
                headers={"WWW-Authenticate": 'Bearer realm="metrics"'},
            )
        return
    # A proxy on this machine makes the whole world look local, but it leaves its mark.
    proxied = any(name in request.headers for name in ("x-forwarded-for", "forwarded", "via"))
    if proxied or request.client is None or not is_loopback(request.client.host):
        raise Forbidden("Metrics are shown on this machine only, unless METRICS_TOKEN is set.")


def process_state(services: Services) -> list[Gauge]:
    """How busy the connections of this process are, and whether it must do without Redis."""
    pools = {
        "primary": services.db.primary.use,
        "replica": services.db.replica.use,
        "queue": services.db.queue.use,
    }
    meanings = {
        "limit": "The most connections that may be open.",
        "open": "Connections that are open.",
        "idle": "Open connections that nobody uses right now.",
        "waiting": "Requests that wait for a connection.",
    }
    busy = [
        Gauge(f"rensai_database_pool_{name}", meaning, float(getattr(use, name)), {"pool": pool})
        for name, meaning in meanings.items()
        for pool, use in pools.items()
    ]
    degraded = float(services.cache.degraded is not None)
    return [*busy, Gauge("rensai_cache_degraded", "Whether Redis is set and away.", degraded)]


def _queue_gauges(now: Figures) -> list[Gauge]:
    depth: defaultdict[tuple[str, str], float] = defaultdict(float)
    oldest: dict[str, float] = dict.fromkeys(_QUEUES.values(), 0.0)
    for waiting in now.waiting:
        queue = _QUEUES.get(waiting.task, "unknown")
        depth[queue, "due"] += waiting.due
        depth[queue, "later"] += waiting.later
        depth[queue, "running"] += waiting.running
        oldest[queue] = max(oldest.get(queue, 0.0), waiting.oldest_seconds)
    gauges = [Gauge("rensai_tasks_dead", "Tasks that failed for good.", float(now.dead))]
    for (queue, state), count in depth.items():
        labels = {"queue": queue, "state": state}
        gauges.append(Gauge("rensai_tasks", "Tasks that have not ended.", count, labels))
    for queue, seconds in oldest.items():
        meaning = "How long the oldest task that is due has waited."
        gauges.append(Gauge("rensai_tasks_oldest_seconds", meaning, seconds, {"queue": queue}))
    for ended in now.ended:
        labels = {"task": ended.task, "outcome": ended.outcome}
        gauges += [
            Gauge(
                "rensai_task_attempts_total", "Ended attempts.", ended.count, labels, counts=True
            ),
            Gauge(
                "rensai_task_seconds_total", "Time in attempts.", ended.seconds, labels, counts=True
            ),
        ]
    return gauges


routes: list[ControllerRouterHandler] = [healthz, readyz, metrics]
