"""The real server for a whole module of tests, on a database of its own."""

import asyncio
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.web.served import Served


@pytest.fixture(scope="module")
def served(
    postgres_server: postgres.TestServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    with asyncio.Runner() as runner:
        database = postgres.fresh_database(postgres_server)
        url = runner.run(database.__aenter__())
        try:
            server = Served(tmp_path_factory.mktemp("served"), url)
            try:
                yield server
            finally:
                server.stop()
        finally:
            runner.run(database.__aexit__(None, None, None))
