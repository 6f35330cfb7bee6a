"""What cannot work ends with one clear line and a non-zero exit, and leaves nothing behind."""

import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.conftest import Make
from tests.process.old_server import old_server
from tests.process.site import Site, free_port, public_folder


def _refused(site: Site, command: str = "serve") -> str:
    """The one line with which the start was refused."""
    site.start(command)
    assert site.running.wait(60) == 1, site.said()
    lines = site.said().strip().splitlines()
    assert len(lines) == 1, site.said()
    assert lines[0].startswith("rensai: ")
    assert site.leftovers() == []
    return lines[0]


def test_a_port_in_use_is_named_before_anything_is_made(new_site: Make) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        site = new_site(PORT=str(taken.getsockname()[1]))
        line = _refused(site)
    assert f"PORT: {site.port} on 127.0.0.1 cannot be used: Address already in use" in line
    assert not (site.data_dir / "postgres").exists()


def test_an_address_of_another_machine_is_refused(new_site: Make) -> None:
    for elsewhere in ("192.0.2.1", "no such host"):
        line = _refused(new_site(HOST=elsewhere))
        assert f"HOST: {elsewhere!r} is not an address of this machine" in line


def test_a_wrong_setting_is_named(new_site: Make) -> None:
    line = _refused(new_site(RUN_MODE="both"))
    assert line == "rensai: RUN_MODE: 'both' is not one of all, web, worker"


def test_a_data_folder_that_cannot_be_written_is_named(new_site: Make) -> None:
    folder = public_folder()
    blocked = folder / "file"
    blocked.write_text("in the way")
    try:
        line = _refused(new_site(blocked / "data"))
        assert f"RENSAI_DATA_DIR: {blocked / 'data'} cannot be used: Not a directory" in line
    finally:
        shutil.rmtree(folder)


def test_a_database_that_is_down_is_named_without_its_password(new_site: Make) -> None:
    port = free_port()
    url = f"postgresql://ada:hunter2@127.0.0.1:{port}/rensai"
    line = _refused(new_site(DATABASE_PRIMARY_URL=url))
    assert f"127.0.0.1:{port}" in line
    assert "does not answer" in line
    assert "hunter2" not in line


def test_a_database_that_is_too_old_is_named(new_site: Make) -> None:
    with old_server() as url:
        line = _refused(new_site(DATABASE_PRIMARY_URL=url))
    assert "is PostgreSQL 15: Rensai needs 16 or newer" in line


def test_a_cluster_of_another_release_is_left_alone(site: Site) -> None:
    version = site.data_dir / "postgres" / "data" / "PG_VERSION"
    version.write_text("17\n")
    line = _refused(site)
    assert "was made by PostgreSQL 17, and this release carries 18" in line
    assert version.read_text() == "17\n"


def _little_room(folder: Path) -> Callable[[], None]:
    """Make the folder a small disk; where that is not allowed, forbid large files."""
    command = ["mount", "-t", "tmpfs", "-o", "size=12m,mode=711", "tmpfs", str(folder)]
    if (
        os.geteuid() == 0
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    ):
        return lambda: None
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


@pytest.fixture
def small_disk() -> Iterator[tuple[Path, Callable[[], None]]]:
    """A folder with room for 12 MB, and what the child has to do first."""
    folder = public_folder()
    yield folder, _little_room(folder)
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)
    shutil.rmtree(folder)


def test_a_full_disk_is_named_and_nothing_half_made_stays(
    small_disk: tuple[Path, Callable[[], None]], new_site: Make
) -> None:
    folder, limit = small_disk
    site = new_site(folder / "data")
    done = subprocess.run(
        site.command("serve"),
        env=site.environment,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("rensai: ")]
    assert len(lines) == 1, done.stderr
    assert "The database could not be created" in lines[0]
    assert "No space left on device" in lines[0] or "File too large" in lines[0]
    assert list((site.data_dir / "postgres").glob("*a*")) == []  # neither data nor new-…


def test_a_failing_command_shows_its_traceback_only_when_asked(new_site: Make) -> None:
    site = new_site(DATABASE_PRIMARY_URL=f"postgresql://127.0.0.1:{free_port()}/rensai")
    quiet = site.run("migrate")
    assert quiet.returncode == 1
    assert len(quiet.stderr.strip().splitlines()) == 1
    loud = site.run("migrate", settings={"RENSAI_DEBUG": "1"})
    assert loud.returncode == 1
    assert "Traceback" in loud.stderr
