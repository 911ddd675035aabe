# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pour: tilt the held container over another one until what is in it has run out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from transforms3d import axangles

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    MotionRequest,
    Pose,
    Reason,
    SceneObject,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import T_tcp_thing, have_let_go
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.skill_effect import Fit
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import hold, look_at_rest, way_to
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes
from replan_agent.motion.motion_protocols import MotionOutcome

from .contact_motion import resisting
from .grains import ENOUGH, POURED, Holder
from .held_poses import upright_axis, upright_pose
from .reaching import first_way

GRIP_N = 60.0
CLEAR_M = (0.06, 0.09, 0.03)  # between the rim below and the lip: the hand needs room, too
BACK = 0.35  # of the radius below: so far before the middle the lip is
TILTS_DEG = (0, 15, 30, 45, 60, 70, 80, 90, 97, 104, 110, 120, 130)
LEAST_DEG = 104  # with less, not all of it runs out
SHAKES = 2
YAWS, SIDES = 8, 4  # turns of what is held, and sides over which it pours
SAME_RAD = 0.1  # joint angles that differ by less are the same posture
BESIDE_FINGERS = 0.3  # the lip is not below a finger
SPEED = 0.25  # of the configured speed, while it runs
RUNS_S, EMPTY_S, REST_S = 0.25, 1.5, 0.6  # it waits so long at each tilt, at the last, to weigh
G = 9.81
LEAST_KG = 0.004  # less is not felt


@dataclass(frozen=True)
class Tilted:
    """TCP poses from upright to empty, and the way to the first."""

    poses: tuple[Pose, ...]
    approach: JointTrajectory


class Pour(Skill):
    spec = SkillSpec(
        name='pour', description='Pour what is in the held container into another one.',
        arguments=takes('object', 'target', object=name_of('container that is held'),
                        target=name_of('bowl or bin')),
        object_arguments=('object', 'target'), needs_held=True,
        effect=Effect(EffectKind.SET, object='object', target='target', state=POURED),
        must_be={'object': Fit.CONTAINER, 'target': Fit.CONTAINER}, undoable=False,
        example='pour(object="cup", target="bowl")')

    def check(self, call: Call) -> SkillResult | None:
        held, target = call.scene.in_hand, call.args['target']
        if held is None or held.name != call.args['object']:
            return precondition(f'the hand holds {call.scene.held}, not {call.args["object"]}')
        if target == held.name:
            return precondition(f'{target} cannot be poured into itself', Reason.BAD_ARGUMENTS)
        if isinstance(held, Holder) and not held.grains:
            return precondition(f'{held.name} is empty', cause=Cause.ALREADY_SO)
        return None

    def foresee(self, call: Call) -> SkillResult:
        found = _tilted(call, call.kit.robot.home)
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        tilted = _tilted(call, call.kit.robot.state().joints)
        if isinstance(tilted, SkillResult):
            return tilted
        grip, arm = call.kit.robot.state().gripper_width, Arm(call, _holding(call))
        before = call.in_phases([('grip', lambda: arm.close(GRIP_N)),
                                 ('approach', lambda: arm.follow(tilted.approach)),
                                 ('weigh', lambda: hold(call, REST_S))])
        if not before.success:
            return before
        full_kg = _weight_kg(call)
        arm.request = replace(arm.request, speed=SPEED)
        done = call.in_phases([
            ('pour', lambda: _through(call, arm, tilted.poses[1:], RUNS_S)),
            ('shake', lambda: _through(call, arm, SHAKES * tilted.poses[-2:], RUNS_S)),
            ('run out', lambda: hold(call, EMPTY_S)),
            ('back', lambda: _through(call, arm, tilted.poses[-2::-1], 0.0)),
            ('weigh', lambda: hold(call, REST_S))])
        now = arm.gripper_width()
        told: dict[str, Any] = {'gripper_width': now, 'poured_kg': full_kg - _weight_kg(call)}
        if have_let_go(grip, now):
            return failed(Reason.GRASP_SLIPPED, f'the fingers lost {held_by(call).name}: they '
                          f'were {grip * 1000:.1f} mm apart, now {now * 1000:.1f} mm', **told)
        return replace(done, evidence={**done.evidence, **told})

    def verify(self, call: Call) -> SkillResult:
        """It got lighter, as the joints feel; and a look shows where what was in it is."""
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        held, target = held_by(call).name, call.args['target']
        poured_kg = call.measured['poured_kg']
        lighter = f'{held} got {poured_kg * 1000:.0f} g lighter'
        first = [_grains(call.scene.get(name)) for name in (held, target)]
        now = [_grains(scene.get(name)) for name in (held, target)]
        told: dict[str, Any] = {'poured_kg': poured_kg, 'seen': None not in now}
        if None in now or None in first:
            return succeeded(f'{lighter}; what {target} holds is not seen', **told) if (
                poured_kg > LEAST_KG) else unverified(f'{held} got no lighter', **told)
        amount, left, there = first[0] or 0, now[0] or 0, (now[1] or 0) - (first[1] or 0)
        told |= {'there': there, 'left': left, 'spilled': amount - left - there}
        said = (f'{there} of {amount} grains are in {target}, {left} still in {held}, '
                f'{amount - left - there} beside it; {lighter}')
        return succeeded(said, **told) if there >= ENOUGH * amount else unverified(
            said, cause=Cause.NOT_WHERE_PUT, **told)


def _grains(thing: SceneObject | None) -> int | None:
    return thing.grains if isinstance(thing, Holder) else None


def _weight_kg(call: Call) -> float:
    """What the hand carries, as the joints feel it now."""
    state = call.kit.robot.state()
    up = np.array([0.0, 0.0, 1.0])
    return float(resisting(call, state.joints, up) @ state.external_torque) / G


def _through(call: Call, arm: Arm, poses: tuple[Pose, ...], waits_s: float) -> SkillResult:
    """From pose to pose, with a rest at each."""
    for pose in poses:
        gone = arm.straight(pose)
        if not gone.success:
            return gone
        if waits_s:
            rested = hold(call, waits_s)
            if not rested.success:
                return rested
    return succeeded()


def _tilted(call: Call, start: FloatArray) -> Tilted | SkillResult:
    """The first side over which the arm can tilt it enough."""
    motion, request = call.kit.motion, _holding(call)
    ways = dict(_ways(call))

    def pour(tcp: Pose, joints: FloatArray) -> Tilted | MotionOutcome:
        there, poses = joints, ways[tcp]
        for number, pose in enumerate(poses[1:], 1):
            outcome = motion.straight(there, pose, request, call.ctx)
            if outcome.trajectory is None and TILTS_DEG[number - 1] < LEAST_DEG:
                return outcome
            if outcome.trajectory is None:
                poses = poses[:number]
                break
            there = outcome.trajectory.end
        way = motion.straight(start, tcp, request, call.ctx)  # upright all the way
        if way.trajectory is None or np.abs(way.trajectory.end - joints).max() > SAME_RAD:
            way = way_to(call, start, joints, request, call.args['target'])
        return way if way.trajectory is None else Tilted(poses, way.trajectory)

    target = call.args['target']
    return first_way(call, ways, request, f'above {target}', f'the arm cannot tilt '
                     f'{held_by(call).name} over {target} from any side', pour, most=2)


def _ways(call: Call) -> Iterator[tuple[Pose, tuple[Pose, ...]]]:
    """TCP poses for each tilt, for each side over which it may pour. The lip stays where it is
    over the target; what is tilted is so high that nothing of it gets below the rim."""
    held, target, arm = held_by(call), call.scene.get(call.args['target']), call.scene.arm
    assert arm is not None and target is not None
    T_tcp_held = T_tcp_thing(held, arm)
    T_held_tcp, closing = np.linalg.inv(T_tcp_held), np.linalg.inv(T_tcp_held)[:3, 1]
    first, axis = upright_pose(held), upright_axis(held)
    high, radius = held.size[axis], min(target.size[:2]) / 2
    for clear_m, number in itertools.product(CLEAR_M, range(YAWS)):
        R = first.turned(number * math.tau / YAWS).rotation
        for side in range(SIDES):
            own = (axis + 1 + side % 2) % 3
            out = R[:, own] * (1 if side < 2 else -1)
            if abs(float((R @ closing) @ out)) > BESIDE_FINGERS:
                continue
            lip_own = np.array(out) * held.size[own] / 2 + np.array([0, 0, high / 2])
            poses = []
            for tilt in map(math.radians, TILTS_DEG):
                turn = np.asarray(axangles.axangle2mat(np.cross((0, 0, 1.0), out), tilt))
                lip = np.array([*target.position[:2], target.top_z + clear_m
                                + high * max(0.0, math.cos(tilt))])
                lip -= BACK * radius * out
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = turn @ R, lip - turn @ lip_own
                poses.append(Pose.from_matrix(T @ T_held_tcp))
            yield poses[0], tuple(poses)


def _holding(call: Call) -> MotionRequest:
    return MotionRequest(call.scene)
