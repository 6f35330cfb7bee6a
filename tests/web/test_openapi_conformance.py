"""Schemathesis sends what our description allows and what it forbids; every answer must fit it."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.web.served import ADMIN, PASSWORD, Served

CONFIG = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = 200
"""About so many are shared by all operations, so that the run stays under half a minute."""


@pytest.fixture(scope="module")
def operations(served: Served) -> dict[str, dict[str, object]]:
    """Every described operation by its id."""
    document = httpx.get(f"{served.url}/api/v1/openapi.json").json()
    return {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
    }


def run(served: Served, folder: Path, examples: int, *arguments: str) -> None:
    command = [
        str(Path(sys.executable).with_name("st")),
        f"--config-file={CONFIG}",
        "--no-color",
        "run",
        f"{served.url}/api/v1/openapi.json",
        f"--max-examples={examples}",
        "--continue-on-failure",
        "--warnings=off",
        "--request-timeout=20",
        *arguments,
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.web.schemathesis_hooks"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " 0 generated" not in done.stdout


def test_every_answer_is_one_that_the_description_promises(
    served: Served, tmp_path: Path, operations: dict[str, dict[str, object]]
) -> None:
    run(served, tmp_path, max(4, EXAMPLES // len(operations)))
    log = served.log.read_text()
    assert '"level":"error"' not in log
    assert '"level":"warning"' not in log


def test_so_is_every_answer_to_somebody_who_has_signed_in(
    served: Served, tmp_path: Path, operations: dict[str, dict[str, object]]
) -> None:
    wanted = [name for name, operation in operations.items() if "security" in operation]
    served.run("admin", "create")
    login = {"username": ADMIN, "password": PASSWORD}
    with httpx.Client(base_url=served.url) as client:
        answer = client.post("/api/v1/auth/login", json=login, headers={"x-forwarded-for": "::9"})
        assert answer.status_code == 200, answer.text
        cookie = client.cookies["rensai_session"]
    included = [f"--include-operation-id={name}" for name in wanted]
    run(
        served,
        tmp_path,
        max(4, EXAMPLES // 10 // len(wanted)),
        f"--header=Cookie:rensai_session={cookie}",
        *included,
    )
