"""`python -m dsgec`, and what the command `dsgec` calls."""

import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being imported ends it as any other."""
    try:
        from dsgec.cli import main as run
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
