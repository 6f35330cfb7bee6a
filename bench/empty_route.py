"""An empty route through the whole application, beside bare granian and Litestar."""

import sys

from bench.harness import Contender, Target, compare
from bench.library import library
from bench.load import ensure_wrk, requests_per_second
from bench.servers import BASE_PATH, free_port, running, settings


def run() -> bool:
    """Whether the target is reached."""
    ensure_wrk()
    ports = {"full": free_port(), "bare": free_port()}
    urls = {name: f"http://127.0.0.1:{port}{BASE_PATH}" for name, port in ports.items()}
    program = [sys.executable, "-m", "bench.servers"]
    with library(0) as place:
        environment = settings(place.url, place.folder, ports["full"])
        with (
            running([*program, "full", str(ports["full"])], environment, url=urls["full"]),
            running([*program, "bare", str(ports["bare"])], {}, url=urls["bare"]),
        ):
            outcome = compare(
                "empty_route",
                "An empty route: the whole application beside bare granian + Litestar",
                [Contender(name, requests_per_second(url)) for name, url in urls.items()],
                baseline="bare",
                unit="req/s",
                target=Target("full", 0.6),
            )
    return bool(outcome.reached)
