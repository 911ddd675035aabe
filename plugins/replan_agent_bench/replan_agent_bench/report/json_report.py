# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The JSON file of a run: what was measured, where, and every episode."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from replan_agent.record.versions import versions
from replan_agent.text.file_bytes import write_whole
from replan_agent_bench.outcome import Outcome
from replan_agent_bench.suite import Suite
from replan_agent_bench.summary import Summary


def suite_report(suite: Suite[Any, Any, Any], seed: int, workers: str,
                 lines: Sequence[Summary[Any]], outcomes: Sequence[Outcome],
                 complete: bool) -> dict[str, Any]:
    """Everything about a run; `complete` is False if it was interrupted."""
    return {
        'suite': suite.name, 'seed': seed, 'complete': complete, 'workers': workers, **header(),
        'episodes_on': dict(Counter(o.machine for o in outcomes)),
        'rows': [line.as_dict() for line in lines],
        **suite.more_json(outcomes),
        'episodes': [o.as_dict() for o in outcomes],
    }


def header() -> dict[str, Any]:
    """When, where and with which versions."""
    return {
        'written_at': datetime.now(timezone.utc).isoformat(timespec='seconds'),
        'versions': versions(),
        'machine': {'host': platform.node(), 'architecture': platform.machine(),
                    'system': platform.platform(), 'cores': os.cpu_count()},
    }


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write the file whole or not at all. Raises NotWritten."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(values, indent=2, ensure_ascii=False) + '\n')
