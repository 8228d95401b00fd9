from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from kataribe.adapters.host import LocalProcesses

ME = "import kataribe.adapters.host as h; print(h.LocalProcesses().me(), flush=True); input()"


def test_a_process_is_gone_once_it_has_died_and_not_before() -> None:
    here = LocalProcesses()
    child = subprocess.Popen(
        [sys.executable, "-c", ME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    name = child.stdout.readline().strip()
    if name.endswith("/"):
        pytest.skip("this system does not tell when a process began")
    assert f":{child.pid}/" in name
    assert not here.is_gone(name)
    before, _, began = name.rpartition(".")
    assert here.is_gone(f"{before}.{int(began) + 1}"), "its number is another process's now"
    child.kill()
    # Dead, even while nobody has asked for its exit code.
    deadline = time.monotonic() + 30
    while not here.is_gone(name):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert child.returncode is None
    child.communicate()
    assert here.is_gone(name)


def test_what_cannot_be_told_is_not_gone() -> None:
    here = LocalProcesses()
    assert not here.is_gone(here.me())
    for other in ("", "/", "mill:1/", "mill:999999999/another-boot.1.2", "mill:x/" + here.me().split("/")[1]):
        assert not here.is_gone(other)


FORK = """
import os
from kataribe.adapters.host import LocalProcesses
here = LocalProcesses()
mine = here.me()
if child := os.fork():
    os.waitpid(child, 0)
else:
    print(os.getpid(), mine != here.me(), f":{os.getpid()}/" in here.me())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_names_itself_anew() -> None:
    said = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    assert said.stdout.split()[1:] == ["True", "True"]
