# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `replan-agent memory` does: list, show, forget, export and import entries."""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import sys
from datetime import datetime, timezone
from pathlib import Path

from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.record.run_folder import as_json
from replan_agent.text.file_bytes import NotWritten, exists, file_bytes, write_whole
from replan_agent.text.json_text import LONGEST_FILE, json_values
from replan_agent.text.shown_text import clipped, one_line

from .failure_memory import memory_path
from .memory_exchange import Counts, export_entries, import_entries, read_exported
from .memory_rows import DAMAGE, Entry
from .memory_schema import VERSION
from .memory_store import MemoryStore


def act(arguments: argparse.Namespace) -> int:
    """Carry out the action of `replan-agent memory` that is named."""
    run = ACTIONS[arguments.action]
    name = arguments.memory or load_config(arguments.config).agent.memory
    if not name:
        raise WrongUse('no memory file: name it with --memory FILE, or as agent.memory in '
                       'the settings (--config FILE)')
    path = memory_path(name)
    if run is not _import and not exists(path):
        raise WrongUse(f'{one_line(path, 300)}: no such file')
    try:
        store = MemoryStore(path)
        status = run(arguments, store)
    except NotWritten as error:  # the file of an export
        raise WrongUse(str(error)) from error
    except (sqlite3.Error, OSError, *DAMAGE) as error:
        raise WrongUse(f'{path}: {error}') from error
    for id, why in store.damaged.items():
        print(f'left out entry {id}, which is damaged: {why} (memory forget {id} removes it)',
              file=sys.stderr)
    return status


def _list(arguments: argparse.Namespace, store: MemoryStore) -> int:
    words = arguments.search
    found = store.entries() if words is None else store.search([words], anywhere=True)
    if arguments.json:
        print(as_json([entry.as_dict() for entry in found], indent=2))
        return SUCCESS
    for entry in found:
        what = ', '.join(f'{k}={v}' for k, v in entry.fix.changes.items()) or entry.fix.option
        about = f'  ({entry.root_cause})' if entry.root_cause else ''
        print(f'{entry.id:4}  {entry.weight:.2f}  {entry.worked:3} of '
              f'{entry.worked + entry.failed:<3}  {entry.pattern}  →  {what}{about}')
    if not found:
        print('the memory is empty' if words is None else f'no entry has any of: {words}')
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
    entries = export_entries(store)
    values = {'replan_agent_memory': VERSION, 'entries': entries}
    text = as_json(values, indent=2)
    if arguments.file is None:
        print(text)
    else:
        write_whole(arguments.file, text + '\n')
        print(f'{len(entries)} written to {arguments.file}')
    return SUCCESS


def _import(arguments: argparse.Namespace, store: MemoryStore) -> int:
    entries = read_export(arguments.file)  # read all of it before writing anything
    new = import_entries(store, entries)
    print(f'{len(entries)} read, {new} outcomes are new in {store.path}')
    return SUCCESS


def read_export(path: Path) -> list[tuple[Entry, Counts]]:
    """The entries of an exported file. Raises WrongUse that says what is wrong."""
    raw = file_bytes(path, LONGEST_FILE)
    values = json_values(raw, str(path))
    try:
        if values.get('replan_agent_memory') not in range(1, VERSION + 1):
            raise WrongUse(f'{path}: not an export of this release (no '
                           f'"replan_agent_memory": {VERSION} in it)')
        origin = f'file {hashlib.sha256(raw).hexdigest()}'
        return [read_exported(item, origin) for item in values['entries']]
    except DAMAGE as error:
        raise WrongUse(f'{path}: not an export of the failure memory: '
                       f'{clipped(repr(error), 200)}') from error


def _unknown(id: int, store: MemoryStore) -> WrongUse:
    known = ', '.join(str(entry.id) for entry in store.entries()[:20])
    return WrongUse(f'no entry {id}; there are: {known or "none"}')


ACTIONS = {'list': _list, 'show': _show, 'forget': _forget, 'export': _export, 'import': _import}
