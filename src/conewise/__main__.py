"""`python -m conewise`, and the command `conewise`: an interruption is one line, also while modules are imported."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from conewise.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(print("conewise: interrupted.", file=sys.stderr) or 130)


if __name__ == "__main__":
    main()
