"""The files docs/numbers/*.json: what each must have, and how it is written and read."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ROOT / 'docs' / 'numbers'
ENTRIES = Path(__file__).with_name('numbers.yaml')
SIZES = 'small', 'medium', 'full'
FIELDS = ('name', 'size', 'carried_over', 'commit', 'date', 'machine', 'command', 'lines')
MACHINE_FIELDS = 'architecture', 'cores', 'load'  # load by others when it began
LINE_FIELDS = 'row', 'column', 'n', 'k', 'low', 'high'
CODE = 'replan_agent', 'plugins/*/replan_agent_*', 'config'  # what a number depends on


class NumbersError(Exception):
    """A sentence for the person who called."""


def entries(file: Path = ENTRIES) -> dict[str, dict[str, Any]]:
    """What is measured and shown: the entries of numbers.yaml by name."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text('utf-8'))
    return found


def file_name(name: str, size: str) -> str:
    """The file of one size; the full one has the plain name."""
    return name if size == 'full' else f'{name}_{size}'


def read_all(folder: Path = NUMBERS) -> dict[str, dict[str, Any]]:
    """All files by name. One that lacks a field raises NumbersError."""
    return {file.stem: checked(file.stem, json.loads(file.read_text('utf-8')))
            for file in sorted(folder.glob('*.json'))}


def checked(stem: str, values: dict[str, Any]) -> dict[str, Any]:
    """The same values; NumbersError names the first thing that is wrong with them."""
    if missing := [field for field in FIELDS if field not in values]:
        raise NumbersError(f'{stem}.json: no {", ".join(missing)}; what nobody knows is null')
    if file_name(values['name'], values['size']) != stem:
        raise NumbersError(f'{stem}.json: name {values["name"]!r} and size {values["size"]!r} '
                           'belong to another file')
    if values['machine'] is not None and tuple(values['machine']) != MACHINE_FIELDS:
        raise NumbersError(f'{stem}.json: a machine has {", ".join(MACHINE_FIELDS)}, nothing else')
    for line in values['lines']:
        if missing := [field for field in LINE_FIELDS if field not in line]:
            raise NumbersError(f'{stem}.json, row {line.get("row")!r}: no {", ".join(missing)}')
    return values


def write(values: Mapping[str, Any], folder: Path = NUMBERS) -> Path:
    """Write one file, a line of it on a line."""
    stem = file_name(values['name'], values['size'])
    checked(stem, dict(values))
    lines = ',\n'.join('  ' + json.dumps(line, ensure_ascii=False) for line in values['lines'])
    head = json.dumps({k: v for k, v in values.items() if k != 'lines'}, ensure_ascii=False,
                      indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f'{stem}.json'
    file.write_text(f'{head[:-2]},\n "lines": [\n{lines}\n ]\n}}\n', 'utf-8')
    return file


def git(*words: str, root: Path = ROOT) -> str:
    """What git says. Raises NumbersError outside a checkout."""
    done = subprocess.run(['git', *words], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NumbersError(f'git {words[0]}: {done.stderr.strip()}; a number names its commit, so '
                           'this works only in a git checkout')
    return done.stdout.strip()


def code_commit(root: Path = ROOT) -> str:
    """The last commit that changed the code. Uncommitted changes of it raise NumbersError."""
    if changed := git('status', '--porcelain', '--', *CODE, root=root):
        raise NumbersError(f'not committed: {", ".join(changed.split()[1::2])}; a number names '
                           'the commit that it was measured with, so commit first')
    return git('log', '-1', '--format=%h', '--abbrev=8', '--', *CODE, root=root)


def age(values: Mapping[str, Any], root: Path = ROOT) -> str:
    """How much older than the code a file is."""
    if values['carried_over'] or values['commit'] is None:
        return 'carried over: older than the code'
    try:
        since = git('rev-list', '--count', f'{values["commit"]}..HEAD', '--', *CODE, root=root)
    except NumbersError:
        return f'commit {values["commit"]} is not in this checkout'
    return 'of this code' if since == '0' else f'{since} commits of the code since'


def chosen(names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    """The names, or all. A wrong one raises NumbersError with the right ones."""
    if wrong := [name for name in names if name not in known]:
        raise NumbersError(f'nothing is named {", ".join(wrong)}; there are: {", ".join(known)}')
    return list(names or known)
