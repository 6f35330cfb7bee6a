"""The doctor looks at everything a site stands on, and says how to mend each."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pgbouncer import PgBouncer
from tests.process.conftest import Make
from tests.process.old_server import old_server
from tests.process.site import Site, free_port


class _Found(dict[tuple[str, str], dict[str, str]]):
    """What the doctor found, by check and state."""


def _doctor(site: Site) -> _Found:
    done = site.run("doctor", "--json")
    found = _Found({(one["check"], one["state"]): one for one in json.loads(done.stdout)})
    assert done.returncode == any(state == "fail" for _, state in found)
    assert all(one["mend"] for (_, state), one in found.items() if state != "ok")
    return found


@pytest.fixture
def pooler(database_url: str) -> Iterator[PgBouncer]:
    """PgBouncer before a migrated database."""
    with tempfile.TemporaryDirectory() as folder:
        started = PgBouncer(Path(folder), database_url, size=2)
        started.start()
        yield started
        started.kill()


def test_the_doctor_finds_nothing_wrong_with_a_new_site(site: Site) -> None:
    done = site.run("doctor")
    assert done.returncode == 0, done.stdout
    assert "fail" not in done.stdout
    for check in ("configuration", "disk", "database", "extension pg_trgm", "clock", "storage"):
        assert f"ok    {check}" in done.stdout
    assert list((site.data_dir / "storage").iterdir()) == []


def test_the_doctor_says_how_to_mend_what_is_broken(new_site: Make) -> None:
    site = new_site(
        DATABASE_PRIMARY_URL="postgresql://ada:hunter2@127.0.0.1:1/rensai",
        REDIS_URL="redis://127.0.0.1:1/0",
        STORAGE_ENDPOINT="http://127.0.0.1:1",
        STORAGE_BUCKET="pages",
        STORAGE_ACCESS_KEY_ID="key",
        STORAGE_SECRET_ACCESS_KEY="a-storage-secret",
        STORAGE_PUBLIC_URL="http://127.0.0.1:1/pages",
        HOST="192.0.2.7",
    )
    site.data_dir.mkdir()
    (site.data_dir / "settings.env").write_text("LOG_LEVEL=warning\n")
    (site.data_dir / "settings.env").chmod(0o644)
    done = site.run("doctor", "--json")
    assert done.returncode == 1
    found = {(one["check"], one["state"]): one for one in json.loads(done.stdout)}
    for broken in ("database", "redis", "storage"):
        assert found[broken, "fail"]["mend"]
    assert "chmod 600" in found["data folder", "warn"]["mend"]
    assert "192.0.2.7" in found["configuration", "warn"]["found"]
    assert "hunter2" not in done.stdout
    assert "a-storage-secret" not in done.stdout


def test_the_doctor_also_sees_a_wrong_setting(new_site: Make) -> None:
    done = new_site(LOG_LEVEL="loud").run("doctor")
    assert done.returncode == 1
    assert "LOG_LEVEL: 'loud' is not one of debug, info, warning, error" in done.stdout


def test_the_doctor_tells_a_server_that_is_too_old_from_one_that_is_away(new_site: Make) -> None:
    with old_server() as url:
        old = _doctor(new_site(DATABASE_PRIMARY_URL=url))["database", "fail"]
    assert "PostgreSQL 15" in old["found"]
    assert old["mend"].startswith("upgrade that server")
    url = f"postgresql://127.0.0.1:{free_port()}/rensai"
    away = _doctor(new_site(DATABASE_PRIMARY_URL=url))["database", "fail"]
    assert away["found"].endswith("Connection refused")
    assert "see that PostgreSQL runs" in away["mend"]


def test_the_doctor_asks_for_a_way_past_the_pooler(
    new_site: Make, pooler: PgBouncer, database_url: str
) -> None:
    alone = _doctor(new_site(DATABASE_PRIMARY_URL=pooler.url))["database", "fail"]
    assert alone["mend"].startswith("set DATABASE_QUEUE_URL")
    both = _doctor(new_site(DATABASE_PRIMARY_URL=pooler.url, DATABASE_QUEUE_URL=database_url))
    assert both["database", "ok"]["found"].endswith("through a pooler")


def test_the_doctor_names_a_replica_that_is_away(new_site: Make, database_url: str) -> None:
    away = f"postgresql://127.0.0.1:{free_port()}/rensai"
    settings = {"DATABASE_PRIMARY_URL": database_url}
    found = _doctor(new_site(**settings, DATABASE_REPLICA_URL=away))
    assert "DATABASE_REPLICA_URL" in found["replica", "warn"]["mend"]
    found = _doctor(new_site(**settings, DATABASE_REPLICA_URL=database_url))
    assert found["replica", "ok"]["found"] == "answers"


def test_the_doctor_counts_the_connections_that_processes_may_ask_for(site: Site) -> None:
    site.environment |= {"WEB_PROCESSES": "6", "DATABASE_POOL_SIZE": "10"}
    assert ("connections", "warn") not in _doctor(site)
    site.environment |= {"WEB_PROCESSES": "7"}
    crowded = _doctor(site)["connections", "warn"]
    assert crowded["found"] == "112 may be asked for, and the server has 100"


def test_the_doctor_sends_to_the_log_of_a_database_that_does_not_start(site: Site) -> None:
    data = site.data_dir / "postgres" / "data"
    subprocess.run(["rm", "-r", str(data / "global")], check=True)
    assert "postgres.log" in _doctor(site)["database", "fail"]["mend"]
