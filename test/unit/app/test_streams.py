# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is printed cannot end a run, and cannot control the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


STYLED = """
from replan_agent.app.terminal.console import plain_console
from rich.text import Text
console = plain_console()
console._force_terminal = True; console._color_system = 1
console.print(Text('red \\x1b[5m \\u202e', style='red'))
"""


@pytest.mark.parametrize('stream', ['stdout', 'stderr'])
def test_no_control_character_reaches_the_terminal(stream):
    said = rf"print('a\x1b[31m\u202e\rb\x9b', file=sys.{stream})"
    out, err = started(f'import sys; {said}', PYTHONIOENCODING='utf-8').communicate(timeout=60)
    assert (out + err).decode() == 'a\ufffd[31m\ufffd\ufffdb\ufffd\n'


def test_our_own_styles_reach_the_terminal_but_not_those_in_a_text():
    out, err = started(f'exec({STYLED!r})', PYTHONIOENCODING='utf-8').communicate(timeout=60)
    assert err == b'' and out.decode() == '\x1b[31mred \ufffd[5m \ufffd\x1b[0m\n'


RUN = ('import sys; from replan_agent.app.cli.main import main; '
       "sys.exit(main(['scenes'], plug_ins=()))")


def run_into(target: str) -> subprocess.CompletedProcess[bytes]:
    path = str(Path(__file__).parents[3])
    with open(target, 'wb') as out:
        return subprocess.run([sys.executable, '-c', RUN], stdout=out, stderr=subprocess.PIPE,
                              env={**os.environ, 'PYTHONPATH': path}, timeout=120, check=False)


@pytest.mark.skipif(not Path('/dev/full').exists(), reason='there is no /dev/full')
def test_a_full_device_is_one_sentence_and_no_success():
    ended = run_into('/dev/full')
    assert ended.returncode == 1
    assert ended.stderr == (b'replan-agent: the output cannot be written: No space left on '
                            b'device\n')


def test_output_that_was_written_is_no_news(tmp_path):
    ended = run_into(str(tmp_path / 'out'))
    assert (ended.returncode, ended.stderr) == (0, b'')
