"""The command `memory`: list, show, forget, export and import what failed and what helped."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from replan_agent.app.build.config_file import load_config, memory_path
from replan_agent.app.terminal.argument_types import count
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.domain.file_bytes import exists
from replan_agent.domain.json_text import read_json
from replan_agent.domain.recovery import Fix
from replan_agent.domain.text import one_line
from replan_agent.record.run_folder import as_json
from replan_agent.replan.memory.memory_store import VERSION, Entry, MemoryStore, situation_from

Commands = Any  # argparse's subparsers; their type has no public name


def add_memory(commands: Commands) -> None:
    memory = commands.add_parser('memory', help='what failed earlier, and what helped')
    actions = memory.add_subparsers(title='actions', required=True, metavar='ACTION')
    listing = _action(actions, 'list', _list, 'all entries, last used first')
    listing.add_argument('--search', metavar='WORDS', help='only those with any of these words')
    listing.add_argument('--json', action='store_true')
    _action(actions, 'show', _show, 'one entry with all details').add_argument('id', type=count)
    forget = _action(actions, 'forget', _forget, 'remove an entry')
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument('id', type=count, nargs='?')
    which.add_argument('--all', action='store_true', help='remove every entry')
    _action(actions, 'export', _export, 'write all entries as JSON').add_argument(
        'file', type=Path, nargs='?', help='default: print it')
    _action(actions, 'import', _import, 'add the entries of an exported file; counts add up'
            ).add_argument('file', type=Path)


def _action(actions: Commands, name: str, run: Callable[[argparse.Namespace, MemoryStore], int],
            help: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=help)
    action.add_argument('--memory', type=Path, metavar='FILE',
                        help="the memory's file (default: agent.memory of the settings)")
    action.add_argument('--config', type=Path, metavar='FILE', help='settings that name the file')
    action.set_defaults(command=lambda arguments: _on_file(arguments, run))
    return action


def _on_file(arguments: argparse.Namespace,
             run: Callable[[argparse.Namespace, MemoryStore], int]) -> int:
    path = arguments.memory or memory_path(load_config(arguments.config))
    if path is None:
        raise WrongUse('no memory file: name it with --memory FILE, or as agent.memory in '
                       'the settings (--config FILE)')
    if run is not _import and not exists(path):
        raise WrongUse(f'{one_line(path, 300)}: no such file')
    try:
        return run(arguments, MemoryStore(path))
    except (sqlite3.Error, OSError) as error:
        raise WrongUse(f'{path}: {error}') from error


def _list(arguments: argparse.Namespace, store: MemoryStore) -> int:
    found = store.search([arguments.search]) if arguments.search else store.entries()
    if arguments.json:
        print(as_json([entry.as_dict() for entry in found], indent=2))
        return SUCCESS
    for entry in found:
        what = ', '.join(f'{k}={v}' for k, v in entry.fix.changes.items()) or entry.fix.option
        print(f'{entry.id:4}  {entry.weight:.2f}  {entry.worked:3} of '
              f'{entry.worked + entry.failed:<3}  {entry.pattern}  →  {what}')
    if not found:
        print('the memory is empty')
    return SUCCESS


def _show(arguments: argparse.Namespace, store: MemoryStore) -> int:
    entry = store.get(arguments.id)
    if entry is None:
        raise _unknown(arguments.id, store)
    values = entry.as_dict()
    for key in ('created', 'updated'):
        values[key] = datetime.fromtimestamp(values[key], timezone.utc).isoformat(
            timespec='seconds')
    print(as_json(values, indent=2))
    return SUCCESS


def _forget(arguments: argparse.Namespace, store: MemoryStore) -> int:
    gone = store.forget(None if arguments.all else arguments.id)
    if not gone and not arguments.all:
        raise _unknown(arguments.id, store)
    print(f'{gone} forgotten')
    return SUCCESS


def _export(arguments: argparse.Namespace, store: MemoryStore) -> int:
    entries = [entry.as_dict() for entry in store.entries()]
    values = {'replan_agent_memory': VERSION, 'entries': entries}
    text = as_json(values, indent=2)
    if arguments.file is None:
        print(text)
    else:
        arguments.file.write_text(text + '\n', encoding='utf-8')
        print(f'{len(entries)} written to {arguments.file}')
    return SUCCESS


def _import(arguments: argparse.Namespace, store: MemoryStore) -> int:
    entries = read_export(arguments.file)  # read all of it before writing anything
    for entry in entries:
        store.add(entry.situation, entry.fix, entry.worked, entry.failed, entry.updated,
                  entry.importance, entry.created)
    print(f'{len(entries)} added to {store.path}')
    return SUCCESS


def read_export(path: Path) -> list[Entry]:
    """The entries of an exported file. Raises WrongUse that says what is wrong."""
    values = read_json(path)
    try:
        if values.get('replan_agent_memory') != VERSION:
            raise WrongUse(f'{path}: not an export of this release (no '
                           f'"replan_agent_memory": {VERSION} in it)')
        return [_entry(item) for item in values['entries']]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WrongUse(f'{path}: not an export of the failure memory: {error!r}') from error


def _entry(item: Any) -> Entry:
    situation, stored = situation_from(item['situation']), item['fix']
    fix = Fix(str(stored['message']), dict(stored['changes']), str(stored['option']),
              str(stored['source']))
    worked, failed = int(item['worked']), int(item['failed'])
    importance = float(item['importance'])
    if min(worked, failed) < 0 or not 0 <= importance <= 1:
        raise ValueError(f'counts {worked} and {failed}, importance {importance:g}')
    return Entry(0, '', situation, fix, worked, failed, importance=importance,
                 created=float(item['created']), updated=float(item['updated']))


def _unknown(id: int, store: MemoryStore) -> WrongUse:
    known = ', '.join(str(entry.id) for entry in store.entries()[:20])
    return WrongUse(f'no entry {id}; there are: {known or "none"}')
