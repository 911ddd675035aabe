# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent measure-chance`: what a perception is unsure of, as a file for `agent.chance`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from replan_agent_bench.suites.motion_rows import find_row

from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.exits import SUCCESS
from replan_agent.robot.mujoco.scene.scene_spec import CameraNoise, CameraSpec, SceneSpec
from replan_agent.text.file_bytes import write_whole

from .chance_rows import BAD_CAMERA
from .drawn_hand import Pressed
from .measuring import deviations, grasp, looks, properties
from .uncertainty import NEVER_SEEN, Uncertainty

CAMERAS = {'camera': CameraNoise(), 'bad_camera': BAD_CAMERA}
GRASPED = ('cube24', 'cube40', 'cube56', 'bar', 'cylinder')
SCENES = ('clutter', 'bowl', 'stack', 'cylinder', 'bar')


def measure(arguments: argparse.Namespace) -> int:
    """Measure, and write the file."""
    name, n, seed = arguments.what, arguments.n, arguments.seed
    command = f'replan-agent measure-chance {name} --n {n} --seed {seed}'
    if name == NEVER_SEEN:
        found = properties(command, grasps(n, seed))
    else:
        never_seen = Uncertainty.of(NEVER_SEEN) or properties('')
        found = replace(measured(name, n, seed, command), grip=never_seen.grip,
                        fingers_m=never_seen.fingers_m, friction=never_seen.friction,
                        density=never_seen.density)
    path = arguments.out or Path(f'{name}.yaml')
    write_whole(path, yaml.safe_dump(_plain(found), sort_keys=False))
    numbers = ', '.join(f'{name} {value:g}' for name, value in _plain(found).items()
                        if isinstance(value, float))
    print(f'written to {path}: {numbers}')
    return SUCCESS


def measured(camera: str, n: int, seed: int, source: str) -> Uncertainty:
    """The errors of this camera over random scenes, each with a camera of its own."""
    config = load_config(None)
    return deviations([looks(_scene(camera, each), config, each)
                       for each in range(seed, seed + n)], source)


def grasps(n: int, seed: int) -> list[Pressed]:
    """How the hand presses on random things that it picks up."""
    config, found = load_config(None), []
    for each in range(seed, seed + n):
        case = find_row(str(np.random.default_rng([each, 41]).choice(GRASPED))).case(each)
        found.append(grasp(SceneSpec(f'grasped_{each}', objects=case.objects), case.task, config,
                           each))
    return [each for each in found if each is not None]


def _scene(camera: str, seed: int) -> SceneSpec:
    row = find_row(str(np.random.default_rng([seed, 41]).choice(SCENES)))
    return SceneSpec(f'measured_{seed}', objects=row.case(seed).objects,
                     camera=CameraSpec(noise=CAMERAS[camera]))


def _plain(found: Uncertainty) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(found).items()}
