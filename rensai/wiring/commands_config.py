"""`rensai config`: what is set, by whom, and what it means."""

import sys
import textwrap
from collections.abc import Mapping

import click

from rensai.config import explain, shown
from rensai.kit.command import answer, json_option


@click.group()
def config() -> None:
    """The settings of this installation.

    They come from the environment, else from settings.env in the data folder, else from what
    the demo recorded, else they have their defaults. Secrets that are absent are generated once
    outside production.
    """


@config.command()
@json_option
@click.option("--changed", is_flag=True, help="Only what differs from the defaults.")
def show(*, as_json: bool, changed: bool) -> None:
    """Show every setting with its value, its source and its meaning; secrets are hidden.

    What is wrong is shown where it stands and said at the end; then this exits with 1.

    \b
    Examples:
      rensai config show
      rensai config show --changed
      rensai config show --json | jq -r '.[] | select(.name == "PORT").value'
    """
    found = explain()
    told = [
        {
            "name": value.setting.name,
            "value": "" if value.problem else shown(value.setting, value.value),
            "source": value.source,
            "default": value.setting.default_text,
            "expected": value.setting.kind.expected,
            "meaning": value.setting.meaning,
            "secret": value.setting.secret,
            "problem": value.problem,
        }
        for value in found.values
        if not changed or value.source != "default" or value.problem
    ]
    answer(told, as_json=as_json, text="\n".join(_paragraph(setting) for setting in told))
    for problem in found.problems:
        click.echo(f"rensai: {problem}", err=True)
    sys.exit(1 if found.problems else 0)


def _paragraph(setting: Mapping[str, object]) -> str:
    name = click.style(str(setting["name"]), bold=True)
    value = setting["value"] or f"unset: {setting['default'] or 'none'}"
    if setting["problem"]:
        value = click.style("wrong: ", fg="red") + str(setting["problem"]).partition(": ")[2]
    meaning = textwrap.fill(
        f"{setting['meaning']} Expected: {setting['expected']}.",
        width=96,
        initial_indent="    ",
        subsequent_indent="    ",
    )
    return f"{name} = {value}   [{setting['source']}]\n{meaning}"
