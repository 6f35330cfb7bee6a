"""The command line: `rensai`, or `python -m rensai`."""

from rensai.wiring.cli import main

if __name__ == "__main__":
    main()
