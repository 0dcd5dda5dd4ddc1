"""Fitness functions that do what they should not: files of users, imported by other processes."""

import contextlib
import os
import subprocess
import sys
import time

grammar = """
<s> ::= <s> <s> | a | b | c
%max-depth s=4
"""


def fitness(phenotype):
    return abs(len(phenotype) - 9) + phenotype.count("b") / 8


def is_bad(phenotype):
    return phenotype.count("c") == 3


def raises(phenotype):
    if is_bad(phenotype):
        raise RuntimeError("three\nof them")
    return fitness(phenotype)


def nan(phenotype):
    return float("nan") if is_bad(phenotype) else fitness(phenotype)


def hangs(phenotype):
    while is_bad(phenotype):
        with contextlib.suppress(Exception):
            time.sleep(0.01)
    return fitness(phenotype)


def hangs_in_c(phenotype):
    if is_bad(phenotype):
        os.environ["HANGING"] = "1"
        signal_proof_sleep()
    return fitness(phenotype)


def signal_proof_sleep():
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    time.sleep(1000)


def prints(phenotype):
    print(phenotype)
    os.write(1, b"straight to the file\n")
    return fitness(phenotype)


def forks(phenotype):
    if is_bad(phenotype):
        os.fork()  # and both go on
    return fitness(phenotype)


def exits(phenotype):
    if is_bad(phenotype):
        sys.exit(3)
    return fitness(phenotype)


def exits_at_once(phenotype):
    if is_bad(phenotype):
        os._exit(3)
    return fitness(phenotype)


def crashes(phenotype):
    if is_bad(phenotype):
        os.abort()
    return fitness(phenotype)


def words(phenotype):
    return "many" if is_bad(phenotype) else fitness(phenotype)


def starts_programs(phenotype):
    if is_bad(phenotype):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    return fitness(phenotype)


def batch(phenotypes):
    return [raises(one) for one in phenotypes]


def short_batch(phenotypes):
    return [fitness(one) for one in phenotypes if not is_bad(one)]


def slow(phenotype):
    time.sleep(0.002)
    return fitness(phenotype)
