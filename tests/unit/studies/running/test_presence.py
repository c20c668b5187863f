"""Who is still there: what a killed run had in hand is handed out again."""

from __future__ import annotations

import os
import socket

from shared.running import make

from conewise.studies.running.presence import release_abandoned, worker_name


def test_what_a_killed_run_had_in_hand_is_handed_out_again(tmp_path):
    study = make(tmp_path)
    machine, process, start = worker_name().rsplit(":", 2)
    assert int(process) == os.getpid()
    assert machine.startswith(socket.gethostname())
    workers = [
        f"{machine}:{process}:{int(start) - 1}",  # an earlier process of that number
        f"{machine}:999999999:{start}",  # there is no such process
        worker_name(),
        f"elsewhere:999999999:{start}",
        "Marie, bench 3",
        "",
    ]
    for worker in workers:
        assert len(study.ask(1, worker=worker)) == 1
    assert release_abandoned(study) == 2
    assert sorted(lease.worker for lease in study.leases()) == sorted(workers[2:])
