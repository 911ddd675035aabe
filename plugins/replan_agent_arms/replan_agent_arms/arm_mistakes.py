# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a model that loads: axes, base and hand that do not stand as an arm's do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray

from .branches import even_shares

UPRIGHT_DEG, ASIDE_DEG, BACK_DEG = 5.0, 30.0, 120.0
POSTURES, RANK = 40, 1e-3  # m/rad: a hand that moves less in some direction does not move there
PARALLEL = 1e-3  # rad
FREE = 6  # joints that a hand needs for any place and turn
NARROW_M = 0.015
GRAVITY = 9.81  # m/s²


def mistakes(arm: ArmModel) -> Iterator[tuple[bool | None, str]]:
    """What is wrong (False) or may be (None), and what to write."""
    limits = arm.limits
    shares = even_shares(arm.joint_count, POSTURES)
    postures = limits.lower + shares * (limits.upper - limits.lower)
    yield from axis_mistakes(arm, postures)
    yield from _weight(arm, postures)
    yield from _base(arm)
    yield from _hand(arm)


def axis_mistakes(arm: ArmModel, postures: FloatArray) -> Iterator[tuple[bool | None, str]]:
    """A wrong axis leaves a direction in which the hand never moves or turns.

    Fewer than six joints always do: of these each should add a direction.
    """
    if arm.joint_count < FREE:
        yield None, (f'with {arm.joint_count} joints the hand cannot be turned freely: few poses '
                     'can be reached')
    values = [np.linalg.svd(arm.kinematics.jacobian(posture), compute_uv=False)
              for posture in postures]
    if max(float(value[-1]) for value in values) > RANK:
        return
    axes = np.stack([arm.kinematics.link_frames(posture)[:-2, :3, 2] for posture in postures])
    runs: list[list[int]] = [[0]]
    for i in range(1, arm.joint_count):
        across = np.linalg.norm(np.cross(axes[:, i - 1], axes[:, i]), axis=1).max()
        runs = [*runs, [i]] if across > PARALLEL else [*runs[:-1], [*runs[-1], i]]
    run = max(runs, key=len)
    names = ', '.join(arm.joint_names[i] for i in run)
    why = f'{names} turn about axes that are always parallel; ' if len(run) > 1 else ''
    yield False, ('the hand cannot be moved and turned freely: '
                  f'{why}check the axis of each joint in the model')


def _weight(arm: ArmModel, postures: FloatArray) -> Iterator[tuple[bool, str]]:
    """Motors hold the arm wherever it is, and at home what it is said to carry, too."""
    home = np.array(arm.home)[None]
    for where, load_kg, said, write in (
            (np.concatenate([home, postures]), 0.0, 'the own weight of the arm',
             'check effort (N·m), and the masses of the model (kg)'),
            (home, arm.max_load_kg, f'{arm.max_load_kg:.2f} kg in the hand at home',
             'write a smaller payload (kg), or the effort that the joint has (N·m)')):
        needed = np.abs(_held(arm, where, load_kg)).max(axis=0)
        worst = int((needed / arm.limits.effort).argmax())
        if needed[worst] > arm.limits.effort[worst]:
            yield False, (f'{said} needs {needed[worst]:.3g} N·m at {arm.joint_names[worst]}, '
                          f'which has {arm.limits.effort[worst]:.3g}; {write}')
            return


def _held(arm: ArmModel, postures: FloatArray, load_kg: float) -> FloatArray:
    """The torques (N, n) that hold the arm still, with a load at the tool centre point."""
    frames, dynamics = arm.kinematics.link_frames(postures), arm.dynamics
    fingers_kg = sum(finger.inertia.mass for finger in arm.gripper.fingers)
    bodies = [*((j, body.mass, body.centre) for j, body in enumerate(dynamics.links[1:])),
              (arm.joint_count, dynamics.hand.mass, dynamics.hand.centre),
              (arm.joint_count + 1, fingers_kg + load_kg, (0.0, 0.0, 0.0))]
    found = np.zeros((len(postures), arm.joint_count))
    for number, mass, centre in bodies:
        place = frames[:, number, :3, :3] @ np.array(centre) + frames[:, number, :3, 3]
        for i in range(min(number + 1, arm.joint_count)):
            turning = np.cross(frames[:, i, :3, 2], place - frames[:, i, :3, 3])
            found[:, i] += GRAVITY * mass * turning[:, 2]
    return found


def _base(arm: ArmModel) -> Iterator[tuple[bool | None, str]]:
    axis = arm.kinematics.link_frames(np.array(arm.home))[0, :3, 2]
    tilt = math.degrees(math.acos(min(1.0, abs(float(axis[2])))))
    low, high = arm.hand.reach_m
    if tilt > UPRIGHT_DEG:
        yield (None if high > low else False,
               f'the base is tilted: {arm.joint_names[0]} turns about an axis that is {tilt:.0f} '
               'degrees from upright; if the arm stands on the table, name a base whose z is '
               'upright, or turn the <origin> of that joint')
    height = arm.home_tcp[2]
    if height < 0:
        yield False, (f'at home the tool is {-height:.2f} m below the table; write a home above '
                      'it, or a base that stands on the table')


def _hand(arm: ArmModel) -> Iterator[tuple[bool | None, str]]:
    """Where the hand points, against the way from the joint before the last to the hand."""
    frames = arm.kinematics.link_frames(np.array(arm.home))
    axis, out, flange = frames[-3][:3, 2], frames[-1][:3, 2], frames[-2][:3, 3]
    aside = math.degrees(math.acos(min(1.0, abs(float(axis @ out)))))
    along = flange - frames[-4][:3, 3]
    along = float(along @ axis) * axis
    length = float(np.linalg.norm(along))
    back = length > 0.02 and float(along @ out) < math.cos(math.radians(BACK_DEG)) * length
    if back and aside < ASIDE_DEG:
        yield False, ('the hand points back into the arm; turn it, for example with hand: '
                      '{rpy: [3.1416, 0, 0]}')
    elif aside > ASIDE_DEG:
        yield None, (f'the hand points {aside:.0f} degrees away from the axis of '
                     f'{arm.joint_names[-1]}; if it should point along it, turn it with hand.rpy')
    if arm.hand_camera is not None and arm.hand_camera.T_hand_camera.rotation[2, 2] < 0:
        yield False, ('the camera on the hand looks back, away from what the fingers take; turn '
                      'it with camera.rpy: its z points ahead, x to the right, y down')
    if arm.hand.max_width_m < NARROW_M:
        yield None, (f'the hand opens to {1000 * arm.hand.max_width_m:.0f} mm only; check '
                     'gripper.open, and that the pads are the faces that meet')
