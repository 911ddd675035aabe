"""Pins every wheel by version and hash: writes pins/python3.*.txt from ros.txt and python.txt.

For maintainers, after editing one of the two:  tools/ros lock 3.11 3.12
pip resolves for an x86_64 machine with each of these Pythons. It evaluates the conditions of a
requirement ("python_version < ...") with its own interpreter, so all of them must be installed.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from .layout import PINS
from .report import check_call, say
from .wheels import pins_file, target_options

HEADER = '# Written by `tools/ros lock`: {} wheels for CPython {} on x86_64.\n'


def write_pins(python: str) -> None:
    """Write the pins of one Python version."""
    pins = {**resolve(python, 'ros.txt', '--no-deps'), **resolve(python, 'python.txt')}
    lines = [f'{name} --hash=sha256:{sha256}\n' for name, sha256 in sorted(pins.items())]
    pins_file(python).write_text(HEADER.format(len(lines), python) + ''.join(lines), 'utf-8')
    say(f'{pins_file(python).name}: {len(lines)} wheels')


def resolve(python: str, requirements: str, *options: str) -> dict[str, str]:
    """Map 'name==version' to the hash of its wheel, for the requirements and what they need."""
    interpreter = shutil.which(f'python{python}') or sys.executable
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, 'report.json')
        check_call([interpreter, '-m', 'pip', 'install', '--quiet', '--dry-run',
                    '--ignore-installed', '--report', report, '--target', folder,
                    *target_options(python), *options, '-r', PINS / requirements],
                   f'resolving {requirements} for Python {python}')
        installed = json.loads(report.read_text('utf-8'))['install']
    return {
        f'{item["metadata"]["name"].lower()}=={item["metadata"]["version"]}':
            item['download_info']['archive_info']['hashes']['sha256']
        for item in installed
    }
