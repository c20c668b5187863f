"""A peer in a process of its own environment, asked one question at a time so that its calls alternate with ours.

A question is one line of JSON on the process's input and the answer one line on its output; arrays travel as .npy
files. A peer that is not installed, fails, or takes too long is named as such; it never stops the table.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from benchmarks.measure import PEERS_PYTHON, VOPY_PYTHON

SCRIPTS = Path(__file__).parent / "peers"


class Peer:
    """One script of benchmarks/peers, started at the first question; `with` ends it."""

    def __init__(self, name: str, script: str, *arguments: str, patience: float = 60.0) -> None:
        self.name, self.patience = name, patience
        python = _python(name)
        self._command = [str(python), str(SCRIPTS / script), *arguments]
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory()
        self.trouble = "" if python.exists() else "absent"
        """Why there is no answer: "absent", or what went wrong; empty while all is well."""

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()

    def keep(self, name: str, array: np.ndarray) -> str:
        """An array for the peer to load; returns its path."""
        path = Path(self._folder.name) / f"{name}.npy"
        np.save(path, array)
        return str(path)

    def ask(self, **question: Any) -> dict[str, Any] | None:
        """The answer, or None with the reason in `trouble`."""
        if self.trouble:
            return None
        if self._process is None:
            environment = dict(os.environ, PYTHONWARNINGS="ignore")
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
                cwd=self._folder.name,
            )
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the peer was started without pipes")
        watch = threading.Timer(self.patience, process.kill)
        watch.start()
        try:
            process.stdin.write(json.dumps({"folder": self._folder.name, **question}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late = not watch.is_alive()
            watch.cancel()
        if not line:
            self.trouble = f"gave up after {self.patience:g} s" if late else "ended without an answer"
            return None
        answer: dict[str, Any] = json.loads(line)
        if "trouble" in answer:
            self.trouble = str(answer["trouble"])
            return None
        return answer

    def seconds(self, **question: Any) -> float:
        """How long the same question takes once more; infinite, so that it never counts, without an answer."""
        answer = self.ask(**question)
        return float("inf") if answer is None else float(answer["seconds"])


def peer_versions(names: dict[str, str]) -> dict[str, str]:
    """Version of each package (label -> distribution) in the environment where it is asked, or "absent"."""
    found = dict.fromkeys(names, "absent")
    for python in {_python(label) for label in names}:
        found |= _versions(python, {label: package for label, package in names.items() if _python(label) == python})
    return found


def _python(name: str) -> Path:
    """The interpreter of a peer."""
    return VOPY_PYTHON if name == "VOPy" else PEERS_PYTHON


def _versions(python: Path, names: dict[str, str]) -> dict[str, str]:
    """Those of one environment, from one process of it."""
    if not python.exists():
        return {}
    code = (
        "import json, sys\nfrom importlib.metadata import PackageNotFoundError, version\nfound = {}\n"
        "for label, package in json.loads(sys.argv[1]).items():\n"
        "    try: found[label] = version(package)\n"
        "    except PackageNotFoundError: found[label] = 'absent'\n"
        "print(json.dumps(found))"
    )
    ran = subprocess.run([python, "-c", code, json.dumps(names)], capture_output=True, text=True)
    found: dict[str, str] = {} if ran.returncode else json.loads(ran.stdout)
    return found
