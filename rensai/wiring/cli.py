"""The table of commands. What a command needs is imported when it runs, so help is quick."""

import click


@click.group()
def rensai() -> None:
    """One self-hosted home for serial fiction."""


def main() -> None:
    """Run a command."""
    rensai()
