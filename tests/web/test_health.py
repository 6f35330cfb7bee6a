"""Whether a process lives, is ready, and what it tells of itself to whom."""

from datetime import timedelta
from pathlib import Path

import httpx
import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from rensai.kit.cache import open_cache
from rensai.kit.clock import SetClock
from rensai.kit.db import Command
from rensai.kit.redis import open_redis
from rensai.kit.services import Services
from rensai.kit.tasks import TaskContext, enqueue, task
from rensai.wiring.app import create_app
from tests.redis_server import redis_server
from tests.rig import Rig, build_services, open_database

pytestmark = pytest.mark.anyio

_FORGET = Command("DELETE FROM schema_migrations WHERE name LIKE '0001%'")
_BREAK_QUEUE = Command("ALTER TABLE tasks.pgqueuer_schedules RENAME TO gone")
_AGE = Command(
    "UPDATE tasks.pgqueuer SET execute_after = now() - interval '90 seconds' WHERE id = $1"
)
_ENDED = Command("INSERT INTO tasks.totals VALUES ('room.one', 'succeeded', 7, 1.5)")


class Nothing(msgspec.Struct):
    """No arguments."""


@task(name="health.sample", queue="samples")
async def sample(context: TaskContext, args: Nothing) -> None:
    """Never run here."""


def visitor(services: Services, address: str = "127.0.0.1") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_app(services), client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://rensai.test")


async def metrics(client: httpx.AsyncClient, **headers: str) -> dict[str, dict[str, float]]:
    answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    return {
        family.name: {
            ",".join(
                f"{key}={value}"
                for key, value in sorted(sample.labels.items())
                if key not in {"process", "le"}
            ): sample.value
            for sample in family.samples
        }
        for family in text_string_to_metric_families(answer.text)
    }


async def test_a_process_that_serves_is_alive_and_ready(rig: Rig) -> None:
    assert (await rig.get("/healthz")).json() == {"status": "ok"}
    answer = await rig.get("/readyz")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    ready = answer.json()
    assert ready["status"] == "ready"
    assert set(ready["checks"]) == {"database", "migrations", "queue"}
    assert all(check["ok"] for check in ready["checks"].values())


async def test_a_database_that_waits_for_migrations_is_not_ready(rig: Rig) -> None:
    async with rig.db.transaction() as tx:
        await tx.run(_FORGET)
    answer = await rig.get("/readyz")
    assert answer.status_code == 503
    checks = answer.json()["checks"]
    assert not checks["migrations"]["ok"]
    assert "0001" in checks["migrations"]["problem"]
    assert checks["database"]["ok"]


async def test_a_queue_that_cannot_be_read_is_not_ready(rig: Rig) -> None:
    async with rig.db.transaction() as tx:
        await tx.run(_BREAK_QUEUE)
    answer = await rig.get("/readyz")
    assert answer.status_code == 503
    assert not answer.json()["checks"]["queue"]["ok"]
    assert "pgqueuer" not in answer.text


async def test_without_a_database_a_process_is_alive_but_not_ready(
    rig: Rig, database_url: str
) -> None:
    await rig.db.close()
    assert (await rig.get("/healthz")).status_code == 200
    answer = await rig.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"
    assert not answer.json()["checks"]["database"]["ok"]
    assert database_url not in answer.text
    numbers = await metrics(rig.client)
    assert numbers["rensai_queue_up"] == {"": 0.0}
    assert numbers["rensai_http_request_seconds"]


async def test_a_process_whose_redis_died_is_ready_and_says_what_is_degraded(
    services: Services,
) -> None:
    with redis_server() as redis:
        async with open_redis(redis.url) as link:
            services.cache = open_cache(services.clock, link)
            async with visitor(services) as client:
                assert "degraded" not in (await client.get("/readyz")).json()
                redis.kill()
                await services.cache.get("anything")
                answer = await client.get("/readyz")
                assert answer.status_code == 200
                assert "Redis" in answer.json()["degraded"]
                assert (await metrics(client))["rensai_cache_degraded"] == {"": 1.0}


async def test_metrics_tell_of_requests_pools_tasks_and_the_process(rig: Rig) -> None:
    for _ in range(3):
        await rig.get("/api/v1/instance")
    async with rig.db.transaction() as tx:
        old = await enqueue(tx, sample, Nothing())
        await enqueue(tx, sample, Nothing(), delay=timedelta(hours=1))
        await tx.run(_AGE, old)
        await tx.run(_ENDED)
    numbers = await metrics(rig.client)
    requests = numbers["rensai_http_request_seconds"]
    assert requests["method=GET,route=/api/v1/instance,status=2xx"] > 0
    assert numbers["rensai_database_pool_limit"]["pool=primary"] == 4
    assert numbers["rensai_tasks"]["queue=unknown,state=due"] == 1
    assert numbers["rensai_tasks"]["queue=unknown,state=later"] == 1
    assert 89 < numbers["rensai_tasks_oldest_seconds"]["queue=unknown"] < 120
    assert numbers["rensai_task_attempts"]["outcome=succeeded,task=room.one"] == 7
    assert numbers["rensai_tasks_dead"][""] == 0
    assert numbers["process_resident_memory_bytes"][""] > 1_000_000
    assert numbers["rensai_queue_up"][""] == 1


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.1", "2001:db8::1"])
async def test_metrics_are_for_this_machine(services: Services, address: str) -> None:
    async with visitor(services, address) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 403
    assert "METRICS_TOKEN" in answer.json()["error"]


@pytest.mark.parametrize("mark", ["X-Forwarded-For", "Forwarded", "Via"])
async def test_a_proxy_on_this_machine_opens_metrics_to_nobody(
    services: Services, mark: str
) -> None:
    async with visitor(services) as client:
        assert (await client.get("/metrics")).status_code == 200
        assert (await client.get("/metrics", headers={mark: "192.0.2.7"})).status_code == 403


async def test_whoever_has_the_token_may_read_metrics(
    database_url: str, tmp_path: Path, clock: SetClock
) -> None:
    token = "t" * 32
    database = await open_database(database_url)
    services = build_services(database, tmp_path, clock, METRICS_TOKEN=token)
    async with visitor(services, "192.0.2.7") as client:
        await metrics(client, authorization=f"Bearer {token}")
    async with visitor(services) as client:
        for wrong in ("", "Bearer", f"Bearer {token}x", f"Basic {token}", "Bearer \xfc"):
            answer = await client.get("/metrics", headers=[(b"authorization", wrong.encode())])
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
    await database.close()
