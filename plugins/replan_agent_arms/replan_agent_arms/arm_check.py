# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tries an arm that was read: its joints, its hand, its reach, and a cube that it picks up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.hand_shape import polynomial
from replan_agent.domain.scene import Shape
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

from .arm_mistakes import mistakes
from .reach import farthest_tilted

POSES, POSTURES = 1000, 500
ENOUGH, LITTLE_RAD, OFF_RAD, OFF_M = 0.995, 0.1, 0.01, 0.003
CUBE_M, TASK = 0.04, 'pick up the red cube'


@dataclass(frozen=True)
class Finding:
    """One line of the report; `ok` is None for what is only told, or is a `doubt`."""

    ok: bool | None
    text: str
    doubt: bool = False

    @property
    def mark(self) -> str:
        return 'look' if self.doubt else {True: 'ok', False: 'WRONG', None: ''}[self.ok]


def described(arm: ArmModel) -> Iterator[Finding]:
    """What was read and computed."""
    hand, limits = arm.hand, arm.limits
    yield Finding(None, f'{arm.joint_count} joints; the tool is at ({arm.home_tcp[0]:.3f}, '
                  f'{arm.home_tcp[1]:.3f}, {arm.home_tcp[2]:.3f}) m at home')
    yield Finding(None, f'the hand opens to {1000 * hand.max_width_m:.0f} mm, presses with up to '
                  f'{hand.max_force_n:.0f} N, and carries up to {arm.max_load_kg:.2f} kg')
    if hand.drop:
        moves = 1000 * (polynomial(hand.drop, 0.0) - polynomial(hand.drop, hand.max_width_m))
        yield Finding(None, f'its pads move {moves:.1f} mm out of the palm as it closes')
    lift = float(limits.effort.min())
    yield Finding(None, f'its weakest joint has {lift:.0f} N·m')
    low, high = hand.reach_m
    tilted = farthest_tilted(arm.branches, arm.span_m)
    yield Finding(high > low, 'from above, at any angle, it takes things '
                  f'{low:.2f} to {high:.2f} m from its base; with a tilted hand up to '
                  f'{tilted:.2f} m, where it has room'
                  if high > low else 'it takes nothing from the table from above: check base, '
                  'home, and the direction of the tool')
    down = float(arm.kinematics.forward(np.array(arm.home))[2, 2])
    yield Finding(None, 'at home the fingers point '
                  + ('down' if down < -0.7 else 'up' if down > 0.7 else 'to the side'))
    for ok, text in mistakes(arm):
        yield Finding(ok, text, doubt=ok is None)


def solved(arm: ArmModel) -> Finding:
    """Inverse kinematics of random poses that the arm can reach."""
    limits = arm.limits
    joints = np.random.default_rng(0).uniform(limits.lower, limits.upper,
                                              (POSES, arm.joint_count))
    start = time.perf_counter()
    row, _ = arm.branches.solve_all_batch(arm.kinematics.forward(joints))
    each_ms = 1000 * (time.perf_counter() - start) / POSES
    share = len(np.unique(row)) / POSES
    way = f'from up to {arm.branches.tries} starts' if arm.branches.tries else 'by formulas'
    return Finding(share >= ENOUGH, f'{POSES} random poses: {100 * share:.1f} % solved {way}, '
                   f'{len(row) / POSES:.1f} solutions and {each_ms:.1f} ms each'
                   + ('' if share >= ENOUGH else '; its limits may be too narrow, or its axes '
                      'wrong'))


def free_postures(sim: Simulation, arm: ArmModel) -> Iterator[Finding]:
    """How many random postures touch neither the arm itself nor the table."""
    checker = MujocoCollisionChecker(arm)
    checker.use(MotionRequest(sim.scene))
    home = checker.first_contact(np.array(arm.home))
    yield Finding(home is None, 'at home nothing touches' if home is None
                  else f'at home {home.first} touches {home.second}: write another home')
    limits = arm.limits
    joints = np.random.default_rng(1).uniform(limits.lower, limits.upper,
                                              (POSTURES, arm.joint_count))
    free = sum(checker.first_contact(posture) is None for posture in joints)
    yield Finding(free > 0, f'{100 * free / POSTURES:.0f} % of {POSTURES} random postures are '
                  'free of contact with the table and with the arm itself')


def moved(sim: Simulation, arm: ArmModel) -> Iterator[Finding]:
    """Each joint a little, then the hand."""
    robot, home = sim.cell.robot, np.array(arm.home)
    wrong = []
    for i, name in enumerate(arm.joint_names):
        goal = home.copy()
        goal[i] += LITTLE_RAD if home[i] + LITTLE_RAD < arm.limits.upper[i] else -LITTLE_RAD
        for start, end in ((home, goal), (goal, home)):
            done = robot.execute(time_joint_move(start, end, arm.limits, 0.3, 0.3), Context())
            off = float(np.abs(np.asarray(robot.state().joints) - end).max())
            if not done.success or off > OFF_RAD:
                wrong.append(f'{name} ({off:.3f} rad off)')
    yield Finding(not wrong, f'each joint moves by {LITTLE_RAD} rad and back' if not wrong else
                  f'joints that do not go where they should: {", ".join(dict.fromkeys(wrong))}')
    for width in (0.0, arm.hand.max_width_m):
        robot.move_gripper(width, Context())
        got = robot.state().gripper_width
        yield Finding(abs(got - width) < OFF_M, f'told {1000 * width:.0f} mm, the hand is '
                      f'{1000 * got:.1f} mm wide')


def picked(sim: Simulation) -> Finding:
    result = sim.run(TASK)
    return Finding(result.success, f'{TASK}: {result.final_detail or result.final_reason.value}')


def world_of(model: str, arm: ArmModel) -> Simulation:
    """A table with one cube, in the middle of where the arm works; empty if it works nowhere."""
    side = min(CUBE_M, arm.hand.max_width_m / 2)
    low, high = arm.hand.reach_m
    if not high > low:
        return Simulation(SceneSpec('arm check', '', ()), config=_settings(model))
    cube = ObjectSpec('red_cube', Shape.BOX, (side,) * 3, Colour.named('red'),
                      ((low + high) / 2, 0.0, None), (0.0, 0.0, 0.0), 0.05, 0.8, False, None)
    return Simulation(SceneSpec('arm check', '', (cube,)), config=_settings(model))


def _settings(model: str) -> Config:
    config = load_config(None)
    return replace(config, robot=replace(config.robot, model=model))


def report(path: Path, arm: ArmModel, notes: tuple[str, ...], findings: list[Finding],
           pictures: list[str]) -> str:
    """One page in Markdown."""
    lines = [f'# {arm.name}', '', f'Read from `{path}`.', '']
    wrong, doubts = ([f.text for f in findings if chosen(f)] for chosen in (
        lambda f: f.ok is False, lambda f: f.doubt))
    lines += [f'**Wrong: {"; ".join(wrong)}.**' if wrong else 'All is well.' if not doubts else
              f'**It works; look at this: {"; ".join(doubts)}.**', '']
    lines += [*(f'![{arm.name}]({picture})' for picture in pictures), '']
    lines += ['| | |', '|---|---|', *(f'| {f.mark} | {f.text} |' for f in findings), '']
    if notes:
        lines += ['What was repaired or assumed:', '', *(f'- {note}' for note in notes), '']
    rows = zip(arm.joint_names, arm.limits.lower, arm.limits.upper, arm.limits.velocity,
               arm.limits.effort)
    lines += ['| joint | from (rad) | to (rad) | rad/s | N·m |', '|---|---|---|---|---|',
              *(f'| {n} | {a:.2f} | {b:.2f} | {v:.2f} | {e:.0f} |' for n, a, b, v, e in rows), '']
    return '\n'.join(lines)
