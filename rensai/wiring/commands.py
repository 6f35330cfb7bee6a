"""The commands that run the site: serve, worker, demo, migrate, openapi."""

import sys
from dataclasses import replace

import click


@click.command()
def serve() -> None:
    """Run the site: web and background tasks in one process tree.

    RUN_MODE chooses what this tree does: all, web or worker. Many trees may share one database.
    Stop it with Ctrl-C or SIGTERM: requests and tasks get SHUTDOWN_SECONDS to finish.

    \b
    Examples:
      rensai serve                                   all in one, on http://127.0.0.1:3000
      PORT=8080 WEB_PROCESSES=4 rensai serve         another port, four web processes
      RUN_MODE=web rensai serve                      the web alone
    """
    from rensai.config import load  # noqa: PLC0415
    from rensai.wiring.serve import Tree  # noqa: PLC0415

    sys.exit(Tree(load()).run())


@click.command()
def worker() -> None:
    """Run background tasks only: `serve` with RUN_MODE=worker.

    \b
    Example:
      DATABASE_PRIMARY_URL=postgresql://... rensai worker
    """
    from rensai.config import load  # noqa: PLC0415
    from rensai.wiring.serve import Tree  # noqa: PLC0415

    sys.exit(Tree(replace(load(), run_mode="worker")).run())


@click.command()
def demo() -> None:
    """Run everything with a small library to look at, as `make demo` does.

    The first start makes the database and an administrator, whose password is shown once. Later
    commands of the same virtual environment find the demo's data folder by themselves.

    \b
    Examples:
      rensai demo
      PORT=8080 RENSAI_DATA_DIR=./demo rensai demo
    """
    from rensai.wiring.demo_start import start_demo  # noqa: PLC0415

    sys.exit(start_demo())


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; exit 1 when migrations are pending.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for scripts.")
def migrate(*, check: bool, as_json: bool) -> None:
    """Bring the database up to this release.

    `serve` does so by itself. It is safe to run while another process does the same: one
    migrates, the others wait. What fails or is interrupted says so, and goes on with the next run.

    \b
    Examples:
      rensai migrate             apply what is pending
      rensai migrate --check     in a script: is anything pending?
    """
    from rensai.wiring.prepare import check_pending, migrate_now  # noqa: PLC0415

    names = check_pending() if check else migrate_now(lambda line: click.echo(line, err=True))
    if as_json:
        import json  # noqa: PLC0415

        click.echo(json.dumps({"pending" if check else "applied": names}))
    elif check:
        click.echo("\n".join(["Pending:", *names]) if names else "Nothing is pending.")
    else:
        click.echo(f"Applied {len(names)}." if names else "The database is up to date.")
    sys.exit(1 if check and names else 0)


@click.command()
def openapi() -> None:
    """Print the OpenAPI 3.1 description of the API as JSON.

    \b
    Example:
      rensai openapi > openapi.json
    """
    from rensai.wiring.openapi import description  # noqa: PLC0415

    click.echo(description())
