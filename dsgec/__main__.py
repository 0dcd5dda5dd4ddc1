"""`python -m dsgec`."""

from dsgec.cli import main

main()
