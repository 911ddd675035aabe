# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keeps outcomes in a file as they come, so that an interrupted run can go on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from itertools import groupby
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from replan_agent.domain.config import Config, ConfigError
from replan_agent.record.line_file import LineFile
from replan_agent.text.file_bytes import file_bytes
from replan_agent.text.json_text import LONGEST_FILE
from replan_agent.text.plain_values import flat
from replan_agent_bench.outcome import CRASHED, Job, Outcome
from replan_agent_bench.suite import Suite

from .workers import Runner

SETTINGS = 'settings'
PLAIN: dict[Any, Any] = {bool: bool, int: int, float: (int, float), str: str}  # as in JSON
NOT_MEASURED = ('vlm.base_url',)  # where the model is served may change


def kept(runner: Runner | None, suite: Suite[Any, Any, Any], file: Path, *others: Path
         ) -> Runner:
    """A runner that writes each outcome to `file`, and runs only what is in none of the files.

    Without a `runner` nothing runs: there is only what the files have. Episodes that crashed run
    again. A column may have several outcomes in a row: the look-alikes of the suite memory. A file
    that was measured with other settings is refused. Raises NotWritten.
    """
    def run(config: Config, jobs: Sequence[Job]) -> Iterator[Sequence[Outcome]]:
        found: dict[tuple[str, int, str], list[Outcome]] = {}
        for each in (file, *others):
            check_settings(config, each)
            whole = (pair for pair in _read(suite, each) if pair[1].final_reason != CRASHED)
            found.update((key[1:], [o for _, o in same]) for key, same in groupby(
                whole, lambda pair: (pair[0], pair[1].row, pair[1].seed, pair[1].column)))
        keys = {job: [(job.row, job.seed, column) for column in suite.columns_of(job)]
                for job in jobs}
        left = [job for job in jobs if any(key not in found for key in keys[job])]
        yield [o for job in jobs if job not in left for key in keys[job] for o in found[key]]
        if runner is None:
            return
        with closing(LineFile(file, append=True)) as lines:
            lines.add('')  # the last line may be cut off
            lines.add(json.dumps({SETTINGS: settings_of(config)}))
            for outcomes in runner(config, left):
                for outcome in outcomes:
                    lines.add(json.dumps(asdict(outcome)))
                lines.flush()
                yield outcomes

    return run


def settings_of(config: Config) -> dict[str, Any]:
    """Every setting that may change an outcome, {'vlm.model': ...}, as it reads from JSON."""
    values = json.loads(json.dumps(asdict(config), default=str))
    return {name: value for name, value in flat(values).items() if name not in NOT_MEASURED}


def check_settings(config: Config, file: Path) -> None:
    """Raise ConfigError if outcomes in the file were measured with other settings."""
    here = settings_of(config)
    for there in (entry[SETTINGS] for entry in _entries(file) if SETTINGS in entry):
        if not isinstance(there, dict):
            raise ConfigError(f'{file}: not a file of --keep; name another file')
        other = [f'{name} (there {there.get(name)!r}, here {here.get(name)!r})'
                 for name in sorted({*there, *here}) if there.get(name) != here.get(name)]
        if other:
            raise ConfigError(f'{file}: was measured with other settings: {", ".join(other)}; '
                              'name another file')


def read(suite: Suite[Any, Any, Any], file: Path) -> list[Outcome]:
    """The outcomes in the file, none if there is no file. A line that was cut off is left out."""
    return [outcome for _, outcome in _read(suite, file)]


def _read(suite: Suite[Any, Any, Any], file: Path) -> list[tuple[int, Outcome]]:
    """The same, each with the number of its run."""
    names, run = {f.name for f in fields(suite.outcome)}, 0
    found: list[tuple[int, Outcome]] = []
    for values in _entries(file):
        if SETTINGS in values:
            run += 1
            continue
        try:
            if set(values) != names:
                raise ValueError('other fields')
            found.append((run, _rebuilt(suite.outcome, values)))
        except (ValueError, TypeError, AttributeError) as error:
            raise ConfigError(f'{file}: not the outcomes of the suite {suite.name} in this '
                              'version; name another file') from error
    return found


def _entries(file: Path) -> list[dict[str, Any]]:
    """The lines of the file. One that is empty or cut off is left out.

    A file without any line of ours is somebody's: raises ConfigError, and it is not written to.
    """
    text = file_bytes(file, LONGEST_FILE).decode('utf-8', 'replace') if file.exists() else ''
    found = []
    for line in text.splitlines():
        with suppress(ValueError):
            found.append(json.loads(line))
    if not found and text.strip():
        raise ConfigError(f'{file}: not a file of --keep; name another file')
    return [values if isinstance(values, dict) else {} for values in found]


def _rebuilt(kind: Any, value: Any) -> Any:
    """A value of this type, from what JSON has kept of it: records in it are records again."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return cast(Any, kind)(**{name: _rebuilt(hints[name], v) for name, v in value.items()})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        return tuple(_rebuilt(get_args(kind)[0], v) for v in value)
    if get_origin(kind) in (Union, UnionType) and value is not None:
        some = [k for k in get_args(kind) if k is not NoneType]
        return _rebuilt(some[0], value) if len(some) == 1 else value
    if kind in PLAIN and not isinstance(value, PLAIN[kind]):
        raise TypeError(f'{value!r} is no {kind.__name__}')
    return value
