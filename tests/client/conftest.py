"""A real site, web and worker, with a key to push with."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rensai.client import Client
from rensai.kit.db import Database
from tests.browser.site import running_site


@dataclass(frozen=True, slots=True)
class Library:
    """Where to push, as whom, and how to look at what came of it."""

    url: str
    key_id: str
    secret: str
    database: Database

    def environment(self) -> dict[str, str]:
        """What a crawler is told."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "RENSAI_URL": self.url,
            "RENSAI_KEY_ID": self.key_id,
            "RENSAI_SECRET": self.secret,
        }

    def client(self, connections: int = 1) -> Client:
        """A client with the key."""
        return Client(self.url, self.key_id, self.secret, connections=connections)


@pytest.fixture
def library(database_url: str, database: Database, tmp_path: Path) -> Iterator[Library]:
    """A site that accepts and works off what is pushed."""
    folder = tmp_path / "site"
    folder.mkdir()
    with running_site(database_url, folder, run_mode="all") as site:
        made = subprocess.run(
            [
                *(sys.executable, "-m", "rensai", "key", "create", "--name", "crawler", "--json"),
                *("--permissions", "ingest:stories,ingest:chapters,ingest:stats"),
                *("--requests-per-minute", "0", "--bytes-per-minute", "0"),
            ],
            env={"RENSAI_DATA_DIR": str(folder), "DATABASE_PRIMARY_URL": database_url},
            capture_output=True,
            check=True,
        )
        key = json.loads(made.stdout)
        yield Library(site.url, key["key_id"], key["secret"], database)
