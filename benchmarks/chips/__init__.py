"""What the exported C takes of chips: built by cross compilers, run in simulators."""
