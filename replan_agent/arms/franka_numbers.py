# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The numbers of the Franka arms, from franka.txt. All have the same kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.domain.trajectory import JointLimits

TABLES = [line.split() for line in (Path(__file__).parent / 'franka.txt').read_text(
    encoding='utf-8').splitlines() if line and line[0] != '#']


def values(table: str) -> dict[str, Any]:
    """The rows of a table, by their names; a row of one number is that number."""
    return {name: tuple(map(float, words)) if words[1:] else float(words[0])
            for kind, name, *words in TABLES if kind == table}


DH_A, DH_D, DH_ALPHA, HOME, FLANGE_M, HAND_YAW, TCP_M = values('geometry').values()
JOINTS = len(HOME)


def limits(model: str) -> JointLimits:
    """The published joint limits; the names are as in the robot's URDF."""
    arrays: dict[str, Any] = {key: np.array(row) for key, row in values(model).items()}
    return JointLimits(tuple(f'{model}_joint{i}' for i in range(1, JOINTS + 1)), **arrays)
