"""`python -m conewise`: the same as the command."""

from conewise.cli import main

main()
