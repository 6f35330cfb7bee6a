"""`rensai doctor`: is everything as it should be, and if not, what to do."""

import sys
from typing import TYPE_CHECKING

import click

from rensai.kit.command import answer, json_option

if TYPE_CHECKING:
    from rensai.wiring.doctor import Finding


@click.command()
@json_option
def doctor(*, as_json: bool) -> None:
    """Check everything the site stands on, and say how to mend what is wrong.

    Configuration, data folder, disk, database, replica, connections, extensions, migrations,
    clock, storage, Redis. It may run while the site runs. Exits with 1 when something is broken;
    a warning is not.

    \b
    Examples:
      rensai doctor
      rensai doctor --json | jq '.[] | select(.state != "ok")'
    """
    import asyncio  # noqa: PLC0415 - help answers at once

    from rensai.config import ConfigError, load, secrets_of  # noqa: PLC0415
    from rensai.wiring.doctor import Finding, examine  # noqa: PLC0415

    try:
        config = load()
    except ConfigError as error:
        mend = "set it as expected; `rensai config show` marks all that is wrong"
        findings = [Finding("configuration", "fail", str(error), mend)]
    else:
        from rensai.kit import log  # noqa: PLC0415

        log.configure("error", config.log_format, secrets=secrets_of(config))
        findings = asyncio.run(examine(config))
    answer(findings, as_json=as_json, text="\n".join(_line(finding) for finding in findings))
    sys.exit(1 if any(finding.state == "fail" for finding in findings) else 0)


def _line(finding: "Finding") -> str:
    colours = {"ok": "green", "warn": "yellow", "fail": "red"}
    state = click.style(f"{finding.state:<5}", fg=colours[finding.state])
    mend = f"\n{'':<26}to mend: {finding.mend}" if finding.mend else ""
    return f"{state} {finding.check:<19} {finding.found}{mend}"
