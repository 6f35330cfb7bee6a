"""`rensai push`: what is in a file or a folder, into a server."""

import sys
from pathlib import Path

import click

from rensai.kit.command import json_option


@click.command()
@click.argument("path", type=click.Path(exists=True, readable=True, path_type=Path))
@click.option("--url", help="The server.  [default: BASE_URL]")
@click.option("--key-id", envvar="RENSAI_KEY_ID", show_envvar=True, help="The key to sign with.")
@click.option(
    "--secret",
    envvar="RENSAI_SECRET",
    show_envvar=True,
    help="Its secret. Rather use the variable: others on this machine can see arguments.",
)
@click.option("--source", help="The source to push to, whatever the file says.")
@click.option("--wait", is_flag=True, help="Also wait until everything is in the catalogue.")
@click.option(
    "--again", is_flag=True, help="Have the server work even on what it has answered before."
)
@click.option("--dry-run", is_flag=True, help="Only check; send nothing.")
@click.option(
    "--workers",
    type=click.IntRange(1, 16),
    default=2,
    show_default=True,
    help="How many requests travel side by side.",
)
@click.option(
    "--compress",
    type=click.Choice(["gzip", "zstd", "none"]),
    help="How bodies travel.  [default: none on this machine, else zstd]",
)
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to note what was sent, for a run that is cut off.  [default: beside PATH]",
)
@json_option
def push(
    *,
    path: Path,
    url: str | None,
    key_id: str | None,
    secret: str | None,
    source: str | None,
    wait: bool,
    again: bool,
    dry_run: bool,
    workers: int,
    compress: str | None,
    journal: Path | None,
    as_json: bool,
) -> None:
    """Push stories and chapters to a server, signed and in batches.

    PATH is a JSON file with the body of a bulk request; a .jsonl file with a story or a chapter on
    each line; or a folder of story folders, each with a story.json or story.toml and chapters as
    .txt, .md or .html files. Files may be packed with gzip. Everything is checked first; what is
    wrong is listed with its place and left out. A push that was cut off goes on where it stopped
    when it is started again.

    Exit code: 0 when every item was accepted, 1 when some were not, 2 when the push failed.

    \b
    Examples:
      rensai push chapters.jsonl.gz --source my-crawler --url https://books.example.com
      rensai push stories/ --source home --dry-run
    """
    from rensai.client.errors import PushError  # noqa: PLC0415 - help answers at once
    from rensai.client.reading import UnreadableError  # noqa: PLC0415
    from rensai.wiring.pushing import Where, check_or_push, told  # noqa: PLC0415

    where = Where(url, key_id, secret, source, workers, compress, journal)
    try:
        result = check_or_push(path, where, dry_run=dry_run, wait=wait, again=again)
    except (PushError, UnreadableError, ValueError, OSError) as problem:
        click.echo(f"rensai: {problem}", err=True)
        sys.exit(2)
    click.echo(told(result, as_json=as_json))
    sys.exit(1 if result.complaints else 0)
