"""Functions to evaluate in worker processes, which import them from here by name."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

SIGMA = 0.1


def trade_off(design, seed):
    """Gain and cost along a curve, with normal noise."""
    x = design["x"]
    return np.array([x, x * x]) + np.random.default_rng(seed).normal(0, SIGMA, 2)


def one_objective(design, seed):
    """The one of the two that is to be measured."""
    return dict(zip(("gain", "cost"), trade_off(design, seed).tolist(), strict=True))[design["objective"]]


def draw():
    """Another number at every call, in whatever process."""
    return float(np.random.default_rng().random())


def noisy(design, seed):
    """Prints more than it should."""
    print("a line on standard output", design["name"])
    return trade_off(design, seed)


def fussy(design, seed):
    """One attempt in two fails, depending on the seed."""
    if seed % 2:
        raise ValueError(f"mesh of {design['name']} did not converge")
    return trade_off(design, seed)


def hopeless(design, seed):
    """One design never works."""
    if design["name"] == "d1":
        raise RuntimeError("the third pump is broken")
    return trade_off(design, seed)


def first_time(design, name):
    """Whether this happens for the first time, over all processes; the folder is in the design."""
    try:
        (Path(design["folder"]) / name).open("x").close()
    except FileExistsError:
        return False
    return True


def leave_pid(design, name):
    path = Path(design["folder"]) / name
    path.with_suffix(".part").write_text(str(os.getpid()))
    path.with_suffix(".part").rename(path)


def hangs_once(design, seed):
    if design["name"] == "d2" and first_time(design, "hung"):
        leave_pid(design, "hung.pid")
        time.sleep(3600)
    return trade_off(design, seed)


def hangs(design, seed):
    leave_pid(design, f"worker{os.getpid()}.pid")
    time.sleep(3600)


def killed_once(design, seed):
    if design["name"] == "d2" and first_time(design, "killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    return trade_off(design, seed)


def leaves_once(design, seed):
    if design["name"] == "d2" and first_time(design, "left"):
        sys.stdout.flush()
        os._exit(3)
    return trade_off(design, seed)


class Lazy:
    """A value which raises an error when it is read."""

    def __init__(self, error):
        self.error = error

    def __float__(self):
        raise self.error


class Own(BaseException):
    """An error which is no Exception."""

    def __str__(self):
        raise ValueError("no words")


def raises_once(design, seed):
    """Raise what few functions expect, in the second evaluation of each design."""
    again = not first_time(design, f"begun-{design['name']}")
    if again and first_time(design, f"raised-{design['name']}"):
        if design["name"] == "d0":
            raise GeneratorExit
        if design["name"] == "d1":
            raise Own
        if design["name"] == "d2":
            return [Lazy(RuntimeError("not computed")), 0.0]
        if design["name"] == "d3":
            return [Lazy(ZeroDivisionError()), 0.0]
        raise KeyboardInterrupt
    return trade_off(design, seed)


def killed_always(design, seed):
    os.kill(os.getpid(), signal.SIGKILL)


def of_one(design):
    """Takes no seed."""
    return [0.0, 0.0]


def forks(design, seed):
    """Its child comes back as well, with values of its own."""
    child = os.fork()
    if child == 0:
        return [9.0, 9.0]
    os.waitpid(child, 0)
    return trade_off(design, seed)


def forks_and_raises(design, seed):
    child = os.fork()
    if child == 0:
        raise KeyboardInterrupt
    os.waitpid(child, 0)
    return trade_off(design, seed)


def leaves_a_child_once(design, seed):
    """The process ends, a child of it stays and holds whatever was open."""
    if design["name"] == "d2" and first_time(design, "parent"):
        child = os.fork()
        if child == 0:
            time.sleep(3600)
            os._exit(0)
        (Path(design["folder"]) / "child.pid").write_text(str(child))
        os._exit(3)
    return trade_off(design, seed)


def slow(design, seed):
    time.sleep(design.get("seconds", 0.01))
    return trade_off(design, seed)
