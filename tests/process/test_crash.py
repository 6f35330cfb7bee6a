"""Whatever is killed, the next start mends it, and nothing is left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

from tests.process.conftest import Make
from tests.process.site import Site, eventually


def _kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        if process.is_running():
            process.kill()


def _make_admin(site: Site, *options: str) -> subprocess.CompletedProcess[str]:
    account = ["--username", "ada", "--email", "ada@example.com", "--password-stdin"]
    return site.run("admin", "create", *account, *options, given="correct horse battery\n")


def test_after_a_kill_of_everything_the_next_start_recovers(site: Site) -> None:
    site.start().wait_for_page()
    assert _make_admin(site).returncode == 0
    _kill_all(site.family())
    site.running.wait(10)
    assert eventually(lambda: not site.leftovers())
    assert (site.data_dir / "postgres" / "data" / "postmaster.pid").exists()
    site.start().wait_for_page()
    assert _make_admin(site).returncode == 1  # she is still there
    assert site.end() == 0
    assert site.leftovers() == []


def test_a_database_that_outlives_everything_else_is_taken_over(site: Site) -> None:
    site.start().wait_until_ready()  # a process that is not there yet would not be killed
    database = site.database_pid()
    _kill_all([one for one in site.family() if "postgres" not in one.name()])
    site.running.wait(10)
    assert psutil.pid_exists(database)
    site.start().wait_for_page()
    assert site.database_pid() == database
    assert site.end() == 0
    assert site.leftovers() == []


def test_a_killed_supervisor_leaves_no_orphans(site: Site) -> None:
    site.start().wait_until_ready()
    site.end(signal.SIGKILL)
    assert eventually(lambda: not site.leftovers()), site.leftovers()


def test_a_killed_web_process_is_replaced(site: Site) -> None:
    site.start().wait_until_ready()
    site.child("web").kill()
    assert site.wait_for_page().status_code == 200
    assert "The web process ended; it is started again" in site.said()
    assert site.end() == 0


def test_a_killed_database_is_started_again_under_a_running_site(site: Site) -> None:
    site.start().wait_until_ready()
    os.kill(site.database_pid(), signal.SIGKILL)
    assert eventually(lambda: "it was started again" in site.said()), site.said()
    assert eventually(lambda: site.wait_for_page("/readyz").status_code == 200), site.said()
    assert site.end() == 0
    assert site.leftovers() == []


def test_a_stale_pid_file_that_names_a_living_stranger_is_no_obstacle(site: Site) -> None:
    pid_file = site.data_dir / "postgres" / "data" / "postmaster.pid"
    owner = pid_file.parent.stat()
    stranger = subprocess.Popen(["sleep", "60"], user=owner.st_uid, group=owner.st_gid)
    try:
        pid_file.write_text(f"{stranger.pid}\n{pid_file.parent}\n1700000000\n5432\n/tmp\n\n")
        os.chown(pid_file, owner.st_uid, owner.st_gid)
        done = site.run("migrate", "--check")
        assert done.returncode == 0, done.stderr
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_start_killed_while_it_makes_the_database_is_made_good(new_site: Make) -> None:
    site = new_site()
    for delay in (0.05, 0.3, 0.6):
        site.start("serve")
        assert eventually(lambda: any(_homes(site.data_dir)))
        time.sleep(delay)
        _kill_all(site.family())
        site.running.wait(10)
    site.start().wait_for_page()
    halves = list((site.data_dir / "postgres").glob("new-*"))
    assert halves == []
    assert site.end() == 0


def _homes(data_dir: Path) -> list[Path]:
    return [*data_dir.glob("postgres/new-*"), *data_dir.glob("postgres/data")]


def test_a_command_that_is_killed_gives_up_its_use_of_the_database(site: Site) -> None:
    site.start().wait_for_page()
    holder = subprocess.Popen(
        [
            "python3",
            "-c",
            "import fcntl,sys,time; f=open(sys.argv[1],'a'); "
            "fcntl.flock(f, fcntl.LOCK_SH); print('held', flush=True); time.sleep(60)",
            str(site.data_dir / ".postgres.users"),
        ],
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    assert site.end() == 0
    assert psutil.pid_exists(site.database_pid())  # the holder still counts as a user
    holder.kill()
    holder.wait()
    assert site.run("migrate", "--check").returncode == 0  # in and out: the last one stops it
    assert site.leftovers() == []
