"""What is printed cannot end a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

START = ('from replan_agent.app.terminal.streams import guard_printing; '
         'guard_printing(); ')


def started(code: str, **environ: str) -> subprocess.Popen[bytes]:
    path = str(Path(__file__).parents[3])
    return subprocess.Popen([sys.executable, '-c', START + code], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, 'PYTHONPATH': path, **environ})


def test_a_character_that_the_terminal_has_not_is_replaced():
    out, err = started(r"print('a \u2192 b')", PYTHONIOENCODING='ascii').communicate(timeout=60)
    assert (out.strip(), err) == (b'a ? b', b'')


def test_a_reader_that_has_left_ends_nothing_and_is_no_news():
    process = started("import sys; sys.stdin.read(); print('x' * 100_000); sys.exit(7)")
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b'' and process.wait(60) == 7
