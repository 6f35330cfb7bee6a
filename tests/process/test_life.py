"""A site starts, answers, and leaves nothing behind when it ends."""

import os
import signal
import socket
import time

import httpx
import psutil
import pytest

from tests.process.conftest import Make
from tests.process.site import Site, eventually


def test_a_site_starts_on_an_empty_folder_and_ends_on_sigterm(new_site: Make) -> None:
    site = new_site().start()
    assert site.wait_for_page("/").status_code == 200
    assert site.child("web").is_running()
    assert site.child("worker").is_running()
    assert site.end(signal.SIGTERM) == 0
    assert site.leftovers() == []


def test_ctrl_c_ends_everything_and_the_database_last(site: Site) -> None:
    site.start().wait_for_page()
    database = psutil.Process(site.database_pid())
    os.killpg(site.running.pid, signal.SIGINT)  # as a terminal does: to the whole group
    assert site.running.wait(30) == 0
    assert not database.is_running()
    assert site.leftovers() == []
    log = (site.data_dir / "postgres" / "postgres.log").read_text()
    assert "received fast shutdown request" in log
    assert "terminating connection due to administrator command" not in log


def test_a_request_under_way_is_answered_while_stopping(site: Site) -> None:
    site.start().wait_for_page()
    body = b'{"login":"nobody","password":"a wrong password"}'
    head = (
        f"POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as connection:
        connection.sendall(head.encode() + body[:10])
        time.sleep(0.3)
        site.running.send_signal(signal.SIGTERM)
        time.sleep(0.7)
        with pytest.raises(httpx.TransportError):  # nobody new is let in
            httpx.get(f"http://127.0.0.1:{site.port}/healthz", timeout=1)
        connection.sendall(body[10:])
        assert connection.recv(1024).startswith(b"HTTP/1.1 4")
    assert site.running.wait(20) == 0


def test_a_second_signal_ends_everything_at_once(site: Site) -> None:
    site.start().wait_until_ready()
    site.child("worker").suspend()  # so that it does not hear the first
    site.running.send_signal(signal.SIGTERM)
    time.sleep(1.3)
    assert site.running.poll() is None
    began = time.monotonic()
    assert site.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert time.monotonic() - began < 10  # far from the 20 that it would wait otherwise
    assert site.leftovers() == []


def test_two_signals_at_once_count_as_one(site: Site) -> None:
    site.start().wait_until_ready()
    worker = site.child("worker")
    worker.suspend()  # so that it cannot end before the second
    site.running.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    site.running.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    worker.resume()
    assert site.running.wait(30) == 0


def test_a_process_that_does_not_stop_in_time_is_made_to(site: Site) -> None:
    site.environment["SHUTDOWN_SECONDS"] = "1"
    site.start().wait_until_ready()
    site.child("worker").suspend()
    began = time.monotonic()
    assert site.end(signal.SIGTERM) == 0
    assert 1 <= time.monotonic() - began < 15
    assert site.leftovers() == []


def test_the_roles_run_apart_on_one_data_folder(site: Site, new_site: Make) -> None:
    web = new_site(site.data_dir, RUN_MODE="web").start()
    worker = new_site(site.data_dir).start("worker")
    web.wait_for_page()
    assert eventually(lambda: "Rensai is ready" in worker.said()), worker.said()
    assert "http://" not in worker.said(), "nobody can visit a worker"
    assert not any("serve_child worker" in " ".join(one.cmdline()) for one in web.family())
    assert web.end() == 0
    assert psutil.pid_exists(site.database_pid())  # the worker still uses it
    assert worker.end() == 0
    assert site.leftovers() == []


def test_several_web_processes_share_one_port(site: Site) -> None:
    site.environment["WEB_PROCESSES"] = "2"
    site.start().wait_until_ready()
    webs = [one for one in site.family() if "serve_child web" in " ".join(one.cmdline())]
    assert len(webs) == 2
    webs[0].kill()
    for _ in range(20):  # nobody is refused while one is replaced
        assert httpx.get(f"http://127.0.0.1:{site.port}/healthz").status_code == 200
    assert site.end() == 0
