# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent look`: the objects seen in a scene, as a table and an annotated picture."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.run_command import with_model
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WrongUse
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.perceive.camera.annotate import annotated
from replan_agent.record.picture import PictureError
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.world import World

from .close_look import close_look
from .picture_file import write_picture

PICTURES = ('.png', '.jpg', '.jpeg')


def look(arguments: argparse.Namespace) -> int:
    """Look once; 1 if nothing can be seen."""
    if arguments.out.suffix not in PICTURES:
        raise WrongUse(f'--out: {arguments.out} must end with one of {", ".join(PICTURES)}')
    config = with_model(load_config(arguments.config), arguments)
    config = replace(config, perception=arguments.perception, robot=replace(
        config.robot, eye_in_hand=config.robot.eye_in_hand or arguments.eye_in_hand))
    if config.perception == 'camera_vlm' and not config.point_at:
        raise WrongUse('--perception camera_vlm: say what to look for, with --point-at "the mug"')
    sim = Simulation(arguments.scene, config=config, seed=arguments.seed)
    console = plain_console()
    try:
        scene = _looked_around(sim) if config.robot.eye_in_hand else sim.scene
    except PerceptionError as error:
        console.print(f'nothing can be seen: {error}', soft_wrap=True)
        return TASK_FAILED
    _write_picture(sim.world, scene, arguments.closer, arguments.out)
    if arguments.json:
        print(json.dumps(scene.as_dict(), indent=2))
        return SUCCESS
    console.print(scene_table(scene))
    for warning in scene.warnings:
        console.print(f'warning: {warning}', soft_wrap=True)
    console.print(f'picture: {arguments.out}', soft_wrap=True)
    return SUCCESS


def _looked_around(sim: Simulation) -> Scene:
    """What is seen after the simulated arm has looked from several sides."""
    spec = skill_that(sim.skills.specs(), EffectKind.OBSERVE)
    assert spec is not None  # a standard skill
    done = sim.skills.execute(Step(1, spec.name), sim.scene, Context(), lambda phase: None)
    if not done.success:
        raise PerceptionError(f'the arm could not look around: {done.reason_detail}')
    return sim.scene


def scene_table(scene: Scene) -> Table:
    """The objects of a scene: millimetres and degrees, as people measure."""
    table = Table(title=f'what {scene.perception} perception sees')
    for heading in ('name', 'size mm', 'x mm', 'y mm', 'z mm', 'yaw °', 'confidence'):
        table.add_column(heading, justify='left' if heading == 'name' else 'right',
                         no_wrap=True)
    for thing in scene.objects:
        size = '×'.join(f'{1000 * side:.0f}' for side in thing.size)
        name = f'{thing.name} (held)' if thing.name == scene.held else thing.name
        table.add_row(name, size,
                      *(f'{1000 * value:.1f}' for value in thing.position),
                      f'{math.degrees(thing.pose.yaw):.1f}', f'{thing.confidence:.2f}')
    return table


def _write_picture(world: World, scene: Scene, closer: str | None, path: Path) -> None:
    thing = scene.get(closer or '')
    if closer and thing is None:
        raise WrongUse(f'--closer: {closer} is not seen; choose from: {", ".join(scene.names())}')
    camera = MujocoCamera(world)
    try:
        frame = camera.capture(Context())
        write_picture(path, annotated(frame, scene) if thing is None else close_look(
            frame, thing, list(AnyGrasps(world.arm.hand).candidates(thing, scene)),
            world.arm.hand))
    except CameraError as error:
        raise WrongUse(f'{path}: no picture can be taken: {error}') from error
    except PictureError as error:
        raise WrongUse(str(error)) from error
    finally:
        camera.close()
