"""Calls for the worker processes of a study, and workers that need no process."""

import os
import threading

from dsgec.study import processes


def wait_for_stop(path):
    """Write the number of this process to a file, and return whether it was told to stop."""
    path.write_text(str(os.getpid()))
    processes.remark("begun")
    processes.stop.wait(60.0)
    return "stopped" if processes.stop.is_set() else "not stopped"


class ThreadWorker:
    """A worker of `Processes` that makes its calls in this process, and pickles all the same.

    A process takes a second to start and to import what it needs.
    """

    _one_at_a_time = threading.Lock()

    def __init__(self, module):
        pass

    def call(self, call, on_remark):
        data = bytes(processes.ForkingPickler.dumps((call.function, call.arguments)))

        def listen(kind, value):
            if kind == "remark":
                on_remark(value)

        with self._one_at_a_time:
            processes._listeners.append(listen)
            try:
                answer = processes.ForkingPickler.dumps(processes._answer(data))
            finally:
                processes._listeners.remove(listen)
        kind, value = processes.ForkingPickler.loads(answer)
        if kind == "error":
            raise value
        return value

    def stop(self):
        processes.stop.set()

    def kill(self):
        pass

    def end(self):
        processes.stop.clear()  # which a process would have taken with it
        return 0


def use_threads_for_processes(monkeypatch):
    """Make the calls of worker processes in threads of this process."""
    monkeypatch.setattr("dsgec.study.processes._Process", ThreadWorker)
