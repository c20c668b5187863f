"""`conewise study` as its users type it: a laboratory with tables, a simulator with workers, every slip on the way."""

from __future__ import annotations

import contextlib
import csv
import os
import pty
import random
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shared.laboratory import TOML, conewise, data, refused, rows_of, succeeds
from shared.studies import reseal

from conewise.studies.study import Study

TESTS = Path(__file__).parents[1]
PLACES = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
ENVIRONMENT = os.environ | {"PYTHONPATH": PLACES, "PYTHONWARNINGS": "error", "TERM": "xterm-256color"}
LIMIT = 60  # seconds for anything that is waited for


# -- a laboratory --------------------------------------------------------------------------------------------------


def test_a_laboratory_from_the_first_question_to_the_answer(folder, capsys):
    said = succeeds(capsys, "create", "trial.toml")
    assert said.startswith(
        "Study trial is in trial.db: 3 designs, gain, cost under planar:100, epsilon 0.1, delta 0.05"
    )
    assert said.count("\n") == 1

    todo = rows_of(succeeds(capsys, "ask", "trial.db", "-n", "5", "--worker", "Marie"))
    assert list(todo[0]) == ["id", "design", "seed", "x", "batch", "maker", "gain", "cost"]
    assert [row["id"] for row in todo] == ["d0n0", "d1n0", "d2n0", "d0n1", "d1n1"]
    assert [(row["design"], row["batch"], row["maker"]) for row in todo[:3]] == [
        ("007", "3", "A"),
        ("blue steel", "4", "B"),
        ("c", "12", ""),
    ]
    assert (todo[0]["gain"], todo[0]["cost"]) == ("", "")

    # three of them measured, in another order, by a spreadsheet that likes semicolons
    measured = [row | {"gain": f"{float(row['x'])}", "cost": "0.5"} for row in (todo[3], todo[0], todo[1])]
    with (folder / "done.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(todo[0]), delimiter=";")
        writer.writeheader()
        writer.writerows([*measured, todo[2]])
    said = succeeds(capsys, "tell", "trial.db", "--file", "done.csv", "--worker", "Marie")
    assert said == "3 evaluations stored in trial.db, 1 without values left for later.\n"
    again = data(capsys, "tell", "trial.db", "--file", "done.csv")
    assert (again["stored"], again["repeated"], again["left_out"]) == (0, 3, 1)

    assert succeeds(capsys, "tell", "trial.db", "d2n0", "-0.25", "1e-1") == "1 evaluation stored in trial.db.\n"
    assert "(conewise study correct STUDY d2n0 0.25 0.1) if" in refused(
        capsys, "tell", "trial.db", "d2n0", "0.25", "0.1"
    )
    said = succeeds(capsys, "correct", "trial.db", "d2n0", "0.25", "0.1", "--reason", "sign lost")
    assert said == "Evaluation d2n0 now counts as 0.25, 0.1.\n"
    assert data(capsys, "tell", "trial.db", "--design", "c", "0.3", "0.2")["ids"] == ["d2n1"]

    state = data(capsys, "status", "trial.db")
    assert state["evaluations"] == 5
    assert state["corrected"] == 1
    assert state["in_flight"] == 1
    assert not state["finished"]
    assert succeeds(capsys, "release", "trial.db", "d1n1") == "1 evaluation handed back.\n"
    assert data(capsys, "release", "trial.db", "--all") == {"ids": []}

    said = succeeds(capsys, "run", "trial.db", "--toml", "trial.toml")
    assert re.match(r"Finished after 7 evaluations in [\d.]+ s: ", said), said
    state = data(capsys, "status", "trial.db")
    assert state["finished"]
    assert (state["evaluations"], state["in_flight"], state["remaining"]) == (12, 0, 0)
    assert "nothing: the study has all that it asked for" in conewise(capsys, "ask", "trial.db")[2]
    assert data(capsys, "ask", "trial.db") == {"finished": True, "handed_out": []}

    assert succeeds(capsys, "export", "trial.db", "out.csv") == "12 evaluations of study trial written to out.csv.\n"
    exported = rows_of((folder / "out.csv").read_text(encoding="utf-8"))
    assert len(exported) == 12
    assert [(row["design"], row["number"]) for row in exported[:4]] == [("007", str(k)) for k in range(4)]
    assert float(exported[8]["gain"]) == 0.25

    listed = succeeds(capsys, "list", ".")
    assert "1 study in ." in listed
    assert re.search(r"trial\s+3\s+12\s.*finished\s+trial\.db", listed)


def test_names_that_look_like_formulas_come_back_from_a_spreadsheet(folder, capsys):
    """Handed out, filled in and told; exported, and told to another study by the names of the designs."""
    (folder / "designs.csv").write_text("name,x\n=1+1,0.0\n'=1+1,0.5\n-5,1.0\n", encoding="utf-8")
    for storage in ("trial.db", "other.db"):
        succeeds(capsys, "create", "trial.toml", "--storage", storage)
    todo = succeeds(capsys, "ask", "trial.db", "-n", "3")
    assert [row["design"] for row in rows_of(todo)] == ["'=1+1", "''=1+1", "-5"]
    Path("done.csv").write_text(todo.replace(",,\n", ",1,2\n"), encoding="utf-8")
    assert data(capsys, "tell", "trial.db", "--file", "done.csv")["ids"] == ["d0n0", "d1n0", "d2n0"]
    succeeds(capsys, "export", "trial.db", "out.csv")
    assert data(capsys, "tell", "other.db", "--file", "out.csv")["ids"] == ["d0n0", "d1n0", "d2n0"]


def test_odd_values_are_shown_where_they_are_told_and_in_the_status(folder, capsys):
    unknown = TOML.replace('kind = "gaussian"\nsigma = 0.1', 'kind = "gaussian_unknown"')
    unknown = unknown.replace('name = "naive"\nevaluations_each = 4', 'name = "elimination"')
    (folder / "trial.toml").write_text(unknown, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    rows = "".join(f"c,{gain},{gain / 3}\n" for gain in (0.41, 0.42, 0.405, 0.395, 0.4))
    Path("done.csv").write_text("design,gain,cost\n" + rows, encoding="utf-8")
    assert conewise(capsys, "tell", "trial.db", "--file", "done.csv") == (0, "5 evaluations stored in trial.db.\n", "")
    code, out, err = conewise(capsys, "tell", "trial.db", "--design", "c", "40.1", "0.13")
    assert (code, out) == (0, "1 evaluation stored in trial.db.\n")
    assert re.fullmatch(r"look at: 'gain' of c is 40.1, [\d,]+ spreads away .* \(d2n5\): [^\n]*withdraw it\.\n", err)
    (remark,) = data(capsys, "status", "trial.db")["warnings"]
    assert remark["ids"] == ["d2n5"]
    assert f"look at            {remark['sentence']}" in succeeds(capsys, "status", "trial.db")
    assert data(capsys, "tell", "trial.db", "--design", "007", "0.1", "0.2")["warnings"] == []
    succeeds(capsys, "withdraw", "trial.db", "d2n5", "--reason", "the decimal point was lost")
    assert data(capsys, "status", "trial.db")["warnings"] == []


def test_a_changed_bit_is_harmless_or_one_line(trial, capsys):
    """100 bits drawn with a fixed seed, through the commands: the same answer, or exit code 2 and nothing written."""
    rows = "".join(f"{name},{k / 7},{k / 3}\n" for k, name in enumerate(["c", "007", "blue steel"] * 40))
    Path("done.csv").write_text("design,gain,cost\n" + rows, encoding="utf-8")
    succeeds(capsys, "tell", trial, "--file", "done.csv")
    whole, expected = Path(trial).read_bytes(), succeeds(capsys, "status", trial)
    rng, refusals = random.Random(15), 0
    for _ in range(100):
        bit = rng.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        Path(trial).write_bytes(flipped)
        code, out, err = conewise(capsys, "status", trial)
        if code == 0:
            assert out == expected
            continue
        refusals += 1
        assert (code, out) == (2, "")
        assert re.fullmatch(r"conewise: [^\n]+\.\n", err)
        for arguments in (["ask", trial], ["tell", trial, "d0n50", "1", "2"], ["export", trial, "out.csv"]):
            refused(capsys, *arguments)
        assert Path(trial).read_bytes() == flipped
        assert not Path("out.csv").exists()
    assert refusals > 20


def test_a_study_from_elsewhere_cannot_steer_the_terminal(trial, folder, capsys):
    """Names of studies and workers that our own commands would not have stored."""
    succeeds(capsys, "tell", trial, "d0n0", "1", "2", "--worker", "Marie")
    with contextlib.closing(sqlite3.connect(trial)) as file, file:
        file.execute("UPDATE studies SET name = ?", ("\x1b[2J\x1b]0;owned\x07",))
        file.execute("UPDATE journal SET worker = ?", ("\x1b[31mroot\r",))
    reseal(trial)
    for arguments in (
        ["status", trial],
        ["list", "."],
        ["list", trial],
        ["export", trial, "out.csv"],
        ["status", trial, "--json"],
        ["status", trial, "--name", "none"],
    ):
        _, out, err = conewise(capsys, *arguments)
        assert "\x1b" not in out + err
        assert "\x07" not in out + err
        assert "\r" not in out + err
    exported = Path("out.csv").read_text(encoding="utf-8")
    assert "\x1b" not in exported
    assert "root" in exported


# -- trial.toml ----------------------------------------------------------------------------------------------------


# -- run -----------------------------------------------------------------------------------------------------------


# -- as a process --------------------------------------------------------------------------------------------------


def start(*arguments: str, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "conewise", "study", *arguments]
    return subprocess.Popen(command, env=ENVIRONMENT, text=True, encoding="utf-8", **options)


def test_control_c_stores_what_is_done_and_says_how_to_continue(folder, capsys):
    slow = "".join(f"d{k},{k / 3},0.2\n" for k in range(3))
    (folder / "designs.csv").write_text("name,x,seconds\n" + slow, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    function = ["run", "trial.db", "--function", "shared.simulators:slow", "--jobs", "2"]
    run = start(*function, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, start_new_session=True)
    try:
        with Study.open("trial.db", read_only=True) as study:
            end = time.monotonic() + LIMIT
            while not len(study.evaluations()):
                assert time.monotonic() < end
                assert run.poll() is None, run.communicate()
                time.sleep(0.02)
            os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to everyone
            out, err = run.communicate(timeout=LIMIT)
            assert run.returncode == 130, err
            assert out == ""
            assert "Traceback" not in err
            told = len(study.evaluations())
            last = err.strip().splitlines()[-1]
            assert last.startswith(
                f"Interrupted: all {told} evaluations are stored and what was under way is handed back"
            )
            assert "continue with the same command (conewise study run trial.db" in last
            assert study.leases() == []
            assert not study.finished
    finally:
        run.kill()
        run.communicate()
    assert data(capsys, *function[:-1], "0")["run"]["told"] == 12 - told


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-", "| true", "2>&1 | true"])
def test_a_closed_output_ends_a_run_quietly(folder, trial, closed):
    line = f"{sys.executable} -m conewise study run trial.db --toml trial.toml --jobs 0 {closed}; echo done"
    ran = subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    assert "Traceback" not in ran.stderr
    assert "Exception" not in ran.stderr
    assert ran.stdout.endswith("done\n")
    with Study.open("trial.db", read_only=True) as study:
        assert study.leases() == []
        assert study.finished or "2>&1 |" in closed  # what happens to the display is no matter of the study's


def test_the_display_of_a_terminal(folder, trial):
    leader, follower = pty.openpty()
    run = start("run", trial, "--toml", "trial.toml", stdout=subprocess.PIPE, stderr=follower, cwd=folder)
    os.close(follower)
    shown = b""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if select.select([leader], [], [], 0.1)[0]:
            try:
                shown += os.read(leader, 65536)
            except OSError:  # how Linux says that nobody writes any more
                break
    os.close(leader)
    out, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0
    assert out.startswith("Finished after 12 evaluations")
    assert "\x1b" not in out
    text = shown.decode()
    for words in ("Study trial", "kept", "certified epsilon", "still to do", "in flight", "this run"):
        assert words in text
    assert "\x1b[" in text


def test_a_database_by_its_address_and_no_password_anywhere(folder, capfd, database):
    def said(*arguments: str) -> tuple[int, str]:
        code, out, err = conewise(capfd, *arguments)
        assert "hunter2" not in out + err
        return code, out + err

    database.add_user("marie", "hunter2")
    url = database.address_of("marie", "hunter2")
    code, text = said("create", "trial.toml", "--storage", url)
    assert code == 0, text
    assert "Study trial is in postgresql://" in text
    assert said("create", "trial.toml", "--storage", url, "--name", "second")[0] == 0
    code, text = said("run", url, "--name", "second", "--toml", "trial.toml", "--jobs", "2")
    assert code == 0, text
    assert "Finished after 12 evaluations" in text
    assert said("ask", url, "--name", "trial", "-n", "2")[0] == 0
    code, text = said("list", url)
    assert code == 0
    assert text.startswith("2 studies in postgresql://")
    for arguments in (
        ["status", url],
        ["status", url, "--name", "third"],
        ["create", "trial.toml", "--storage", url],
        ["tell", url, "--name", "trial", "d0n0", "1"],
        ["run", url, "--name", "trial", "--function", "no_such_module:f", "--jobs", "0"],
        ["list", url.replace("marie", "pierre")],
    ):
        code, text = said(*arguments)
        assert code == 2, text
        assert text.count("\n") == 1


# -- help ----------------------------------------------------------------------------------------------------------
