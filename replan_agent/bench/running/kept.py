"""Keeps outcomes in a file as they come, so that an interrupted run can go on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from replan_agent.domain.config import Config, ConfigError

from ..outcome import CRASHED, Job, Outcome
from ..suite import Suite
from .workers import Runner


def kept(runner: Runner, suite: Suite[Any, Any, Any], file: Path) -> Runner:
    """A runner that writes each outcome to `file`, and runs only what is not in it.

    Episodes that crashed run again.
    """
    def run(config: Config, jobs: Sequence[Job]) -> Iterator[Sequence[Outcome]]:
        asked = {(job.row, job.seed, column) for job in jobs for column in suite.columns_of(job)}
        done = {key: o for o in read(suite, file)
                if (key := (o.row, o.seed, o.column)) in asked and o.final_reason != CRASHED}
        yield list(done.values())
        left = [job for job in jobs if any((job.row, job.seed, column) not in done
                                           for column in suite.columns_of(job))]
        with file.open('a', encoding='utf-8') as lines:
            lines.write('\n')  # the last line may be cut off
            for outcomes in runner(config, left):
                lines.writelines(json.dumps(asdict(o)) + '\n' for o in outcomes)
                lines.flush()
                yield outcomes

    return run


def read(suite: Suite[Any, Any, Any], file: Path) -> list[Outcome]:
    """The outcomes in the file, none if there is no file. A line that was cut off is left out."""
    if not file.exists():
        return []
    names = {f.name for f in fields(suite.outcome)}
    found: list[Outcome] = []
    for line in file.read_text(encoding='utf-8').splitlines():
        try:
            values = json.loads(line)
        except ValueError:
            continue  # empty, or cut off
        if not isinstance(values, dict) or set(values) != names:
            raise ConfigError(f'{file}: not the outcomes of the suite {suite.name} in this '
                              'version; name another file')
        found.append(suite.outcome(**values))
    return found
