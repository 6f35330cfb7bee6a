"""Several processes on one data folder, started together or while others run."""

import json

from tests.process.conftest import Make
from tests.process.site import Site, eventually


def test_two_servers_that_start_together_make_one_database_and_migrate_once(new_site: Make) -> None:
    first = new_site()
    second = new_site(first.data_dir)
    first.start()
    second.start()
    assert first.wait_for_page("/").status_code == 200
    assert second.wait_for_page("/").status_code == 200
    applied = (first.said() + second.said()).count("Applying 0001_")
    assert applied == 1
    assert first.end() == 0
    assert second.wait_for_page().status_code == 200  # the database stays for the other
    assert second.end() == 0
    assert first.leftovers() == []


def test_two_servers_on_one_port_leave_one(site: Site, new_site: Make) -> None:
    other = new_site(site.data_dir, PORT=str(site.port))
    both = (site.start(), other.start())
    assert eventually(lambda: any(one.running.poll() is not None for one in both))
    ended, running = sorted(both, key=lambda one: one.running.poll() is None)
    assert ended.running.returncode == 1
    assert "cannot be used: Address already in use" in ended.said()
    assert running.wait_for_page().status_code == 200
    assert running.end() == 0


def test_commands_find_the_database_of_a_running_site(site: Site) -> None:
    site.start().wait_for_page()
    database = site.database_pid()
    assert site.run("migrate", "--check").returncode == 0
    doctor = site.run("doctor", "--json")
    assert doctor.returncode == 0, doctor.stdout
    assert {finding["state"] for finding in json.loads(doctor.stdout)} == {"ok"}
    assert site.database_pid() == database
    assert site.wait_for_page("/readyz").status_code == 200
    assert site.end() == 0


def test_commands_start_the_database_when_nobody_has_and_stop_it_again(site: Site) -> None:
    assert site.run("tasks", "status", "--json").returncode == 0
    assert site.leftovers() == []
