"""How a browser learns the address: for its owner alone, in no command line."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

from shared.explorer import PATIENCE

from conewise.dashboard.doorway import doorway


def test_the_way_to_the_page_is_for_its_owner_alone():
    with doorway("http://127.0.0.1:1/token/") as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert 'content="0;url=http://127.0.0.1:1/token/"' in path.read_text()
    assert not path.parent.exists()


def answers(address):
    try:
        with urlopen(address, timeout=PATIENCE) as response:
            return response.status == 200
    except OSError:
        return False


def test_the_token_is_in_no_command_line(tmp_path):
    """A browser of our own writes down what it is called with, which everyone on the machine may read."""
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!{sys.executable}\nimport pathlib, sys, urllib.parse\n"
        "page = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(sys.argv[1]).path))\n"
        f"told = pathlib.Path({str(tmp_path)!r}, 'part')\n"
        "told.write_text(sys.argv[1] + '\\n' + page.read_text())\n"
        f"told.rename({str(tmp_path / 'told')!r})\n"
    )
    browser.chmod(0o700)
    command = [sys.executable, "-m", "conewise", "explore", "snw", "--json"]
    environment = os.environ | {"BROWSER": str(browser)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            text = ""
            while not text.endswith("}\n") and (line := process.stdout.readline()):
                text += line
            address = json.loads(text)["address"]
            deadline = time.monotonic() + PATIENCE
            while not (tmp_path / "told").exists():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            while not answers(address):  # a signal before that meets whatever the shell has set for it
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()  # nothing, if it has ended
    argument, page = (tmp_path / "told").read_text().split("\n", 1)
    token = urlsplit(address).path.strip("/")
    assert len(token) > 20
    assert token not in argument
    assert f"url={address}" in page
    assert not os.path.exists(unquote(urlsplit(argument).path))
