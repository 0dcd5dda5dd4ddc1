"""What streams take of chips: `python -m benchmarks.streams`."""
