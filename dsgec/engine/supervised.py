"""A program that runs a command and kills it and its children when its own parent ends.

The parent holds the other end of standard input, which closes however the parent ends. It is run as
a file, in a session of its own.
"""

import os
import select
import signal
import sys


def run(command: list[str]) -> int:
    """Run a command until it or standard input ends, and return its exit code."""
    ends, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # which writes to the pipe
    nothing = os.open(os.devnull, os.O_RDONLY)
    actions = [(os.POSIX_SPAWN_DUP2, nothing, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    readable, _, _ = select.select([0, ends], [], [])
    if ends not in readable:
        os.killpg(0, signal.SIGKILL)  # this process, too
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(1 if run(sys.argv[1:]) else 0)
