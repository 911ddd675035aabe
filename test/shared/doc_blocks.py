# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code blocks of the documents: which are files, which are commands, and how they are run.

The convention, which readers see too: commands are in ```sh blocks. A test runs each of them,
unless its first line is a comment `# needs ...`, or a line of the page says `The commands on this
page need ...`. A block with title="NAME" is a file of that name. Programs are in ```python blocks.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
WITH_COMMANDS = [*DOCUMENTS, ROOT / 'CONTRIBUTING.md',
                 *sorted((ROOT / 'plugins').glob('*/README.md'))]
FENCE = re.compile(r'^( *)```(\w*)(?: title="([^"]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
PAGE_NEEDS = re.compile(r'^\*?The commands on this page need ', re.MULTILINE)
COMMAND = re.compile(r'^ *(\.venv[\w-]*/bin/|tools/|bloom-|(replan-agent|ros2|pip|make|python3?|'
                     r'sudo|colcon|git|curl|rosdep|docker|ollama|vllm|llama-server) )')
SHIM = ('#!/bin/sh\n{python} -m replan_agent.app.cli.main "$@"\ncode=$?\n'
        '[ $code -le 1 ] || exit $code\n')
SERVER = re.compile(r'--port (\d+).*&$', re.MULTILINE)  # goes on in the background
WAIT = 'until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do sleep 0.2; done'
PIP = ('#!/bin/sh\nexec {python} -m pip --quiet --disable-pip-version-check "$@" --target "$SITE" '
       '--no-build-isolation --no-deps\n')


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str

    @property
    def needs(self) -> bool:
        return self.text.startswith('# needs ')

    @property
    def is_run(self) -> bool:
        return self.language == 'sh' and not self.needs


def blocks(document: Path) -> list[Block]:
    text = document.read_text('utf-8')
    return [Block(language, title, re.sub(f'^{indent}', '', body, flags=re.MULTILINE))
            for indent, language, title, body in FENCE.findall(text)]


def page_needs(document: Path) -> bool:
    """Whether the page says that all its commands need something that is not here."""
    return bool(PAGE_NEEDS.search(document.read_text('utf-8')))


def loose_commands(document: Path) -> list[str]:
    """Commands that are not in a `sh` block, where no test would run them."""
    text = document.read_text('utf-8')
    inside = [line for block in blocks(document) if block.language in ('', 'bash', 'console')
              for line in block.text.splitlines()]
    outside = [line for line in FENCE.sub('', text).splitlines() if line.startswith('    ')]
    return [line for line in (*inside, *outside) if COMMAND.match(line)]


def follow(document: Path, folder: Path, ports: dict[str, int]) -> str:
    """Do what the page says, in `folder`: write its files, run its commands. What they print.

    A task that fails is no error; wrong use is. `ports` replaces the ports of the page.
    """
    script = ['set -e -o pipefail']
    for block in blocks(document):
        text = block.text
        for port, free in ports.items():
            text = text.replace(port, str(free))
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(text, 'utf-8')
        elif block.is_run:
            script.append(text)
            script += [WAIT.format(port=port) for port in SERVER.findall(text)]
    return _run('\n'.join(script), folder)


def _run(script: str, folder: Path) -> str:
    programs = folder / '.venv' / 'bin'
    programs.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / 'examples', folder / 'examples')  # pip builds in it
    (folder / 'config').symlink_to(ROOT / 'config')
    for name, text in {'replan-agent': SHIM, 'python': '#!/bin/sh\nexec {python} "$@"\n',
                       'pip': PIP}.items():
        (programs / name).write_text(text.format(python=sys.executable))
        (programs / name).chmod(0o755)
    site = folder / 'site'
    environment = {**os.environ, 'PATH': f'{programs}:{os.environ["PATH"]}', 'SITE': str(site),
                   'PYTHONPATH': f'{ROOT}:{site}', 'COLUMNS': '120'}
    said = folder / 'said.txt'
    with said.open('w') as out:
        shell = subprocess.Popen(['bash', '-c', script], cwd=folder, env=environment, stdout=out,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = shell.wait(timeout=900)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)  # servers that the page has started
    assert code == 0, f'{script}\n\n{said.read_text("utf-8")}'
    return said.read_text('utf-8')
