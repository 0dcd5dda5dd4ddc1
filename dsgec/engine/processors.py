"""What this machine lends to the process."""

import os


def processors() -> int:
    """How many processors the process may use: a queue, or `taskset`, may allow it only some."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
