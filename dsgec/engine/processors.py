"""Find out how many processors the process may use."""

import os


def processors() -> int:
    """Return the number of processors this process may use; `taskset` or a queue can limit it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
