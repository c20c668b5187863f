"""A process that starts `conewise study run` again and again and kills it, whole process group, at random moments.

Imports are paid once: every run is a fork of this process. A run notes each acknowledged evaluation in a file, after
`tell` has returned; after every kill the journal is compared with that file. Called with a JSON object of settings,
prints one with what happened.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path


def main(settings: dict) -> None:
    from conewise.cli import main as command
    from conewise.studies.study import Study

    place, acknowledged = settings["study"], Path(settings["acknowledged"])
    chance = random.Random(settings["seed"])
    with Study.open(place) as study:
        study.finished  # noqa: B018 - the algorithm is built once, here, and every fork has it
    done = []
    for phase in settings["phases"]:
        kills, early = 0, 0
        while kills < phase["kills"]:
            before = size(acknowledged)
            child = os.fork()
            if not child:
                run(settings, phase["arguments"], command, Study, acknowledged)
            os.setpgid(child, child)
            wait(phase["longest"], chance, acknowledged, before if kills % phase["early_ones"] else None)
            finished, _ = os.waitpid(child, os.WNOHANG)
            if finished:
                break  # the study was faster than we are
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
            early += size(acknowledged) == before
            check(place, Study, acknowledged)
        done.append({"kills": kills, "before_the_first_tell": early})
    print(json.dumps(done))


def run(settings: dict, arguments: list[str], command, study_class, acknowledged: Path) -> None:
    """In the child: the command as it is, with a note of everything that was acknowledged."""
    os.setpgid(0, 0)  # as the parent does: whoever comes first
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    errors = os.open(settings["errors"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    tell = study_class.tell

    def noted(self, batch, values, **options):
        told = tell(self, batch, values, **options)
        lines = zip(told.evaluations, [list(map(float, row)) for row in values], strict=True)
        os.write(notes, "".join(f"{json.dumps(line)}\n" for line in lines).encode())
        return told

    study_class.tell = noted
    try:
        command(["study", "run", settings["study"], "--json", *arguments])
    except SystemExit as end:
        os._exit(end.code or 0)
    finally:
        os._exit(9)


def wait(longest: float, chance: random.Random, acknowledged: Path, before: int | None) -> None:
    """A random moment after the start, or after the first tell of this run."""
    end = time.monotonic() + 60
    while before is not None and size(acknowledged) == before and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(chance.uniform(0, longest))


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def check(place: str, study_class, acknowledged: Path) -> None:
    """Everything acknowledged is in the journal once, as it was told."""
    with study_class.open(place) as study:
        told = study.evaluations()
        stored = dict(zip(told.ids, told.values.tolist(), strict=True))
        assert len(stored) == len(told)
        if not acknowledged.exists():
            return
        for line in acknowledged.read_text().splitlines():
            evaluation, values = json.loads(line)
            assert stored[evaluation] == values, evaluation


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
