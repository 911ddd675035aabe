# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""hand_over: present what is held, and let go of it when a person pulls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    MotionRequest,
    Pose,
    Reason,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import OPEN_M, have_let_go
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import hold
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.felt import UNEXPLAINED
from replan_agent.execute.skills import takes
from replan_agent.geometry.judging import supports
from replan_agent.motion.motion_protocols import MotionOutcome

from .contact_motion import resisting, unexplained
from .handle import tcp_into
from .reaching import first_way

PULL_N, WAIT_S = 6.0, 15.0
PULL_LASTS_S, READ_S = 0.25, 0.05  # a shorter pull is a bump; time between two readings
REST_S = 0.5  # until the arm, and what it holds, stand still
LEANS_DEG = (30, 60, 0, 90)  # of the fingers: from level, away from the robot, to straight down
BACK_M = 0.06
PLACE_M = (0.55, 0.0, 0.40)


class HandOver(Skill):
    spec = SkillSpec(
        name='hand_over',
        description='Present what is held to a person, and let go when they pull at it. Nobody '
                    'who does not pull gets it.',
        arguments=takes(
            x={'type': 'number', 'default': PLACE_M[0], 'description': 'm forward of the base'},
            y={'type': 'number', 'default': PLACE_M[1], 'description': 'm left of the base'},
            z={'type': 'number', 'default': PLACE_M[2], 'minimum': 0.1, 'maximum': 1,
               'description': 'm above the base'},
            pull_n={'type': 'number', 'default': PULL_N, 'minimum': 3, 'maximum': 30,
                  'description': 'away from the robot, at which it lets go'},
            wait={'type': 'number', 'default': WAIT_S, 'minimum': 1, 'maximum': 120,
                  'description': 's that it waits for a pull'}),
        needs_held=True, effect=Effect(EffectKind.GIVE, x='x', y='y', z='z'),
        adjustable=('wait',), example='hand_over()')

    def check(self, call: Call) -> SkillResult | None:
        if call.scene.in_hand is None:
            return precondition(f'{call.scene.held} is in the gripper but not in the scene',
                                Reason.OBJECT_NOT_FOUND)
        return None

    def foresee(self, call: Call) -> SkillResult:
        found = _way_there(call, call.kit.robot.home)
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        way, robot = _way_there(call, call.kit.robot.state().joints), call.kit.robot
        if isinstance(way, SkillResult):
            return way
        arm, grip = Arm(call, MotionRequest(call.scene)), robot.state().gripper_width
        shown = call.in_phases([('present', lambda: arm.follow(way)),
                                ('rest', lambda: hold(call, REST_S))])
        if not shown.success:
            return shown
        call.on_phase('wait')
        told = self._wait(call, arm, grip)
        if not told.success:
            return told
        left = call.in_phases([('release', lambda: arm.open_to(robot.max_gripper_width)),
                               ('retreat', lambda: _back(call, arm))])
        return told if left.success else left

    def _wait(self, call: Call, arm: Arm, grip: float) -> SkillResult:
        """Until somebody pulls away from the robot, for long enough to be no bump."""
        robot, name = call.kit.robot, held_by(call).name
        calm, since = robot.state().external_torque, robot.state().stamp
        out = _away(np.array(arm.tcp().position))
        needed, wait_s = call.args.get('pull_n', PULL_N), call.args.get('wait', WAIT_S)
        weights, most, pulled_s = resisting(call, arm.joints(), -out), 0.0, 0.0
        while robot.state().stamp - since < wait_s:
            call.ctx.check()
            held = hold(call, READ_S)
            if not held.success:
                return held
            now = robot.state()
            if have_let_go(grip, now.gripper_width):
                return failed(Reason.GRASP_SLIPPED, f'{name} left the fingers before a pull was '
                              'felt for long enough', gripper_width=now.gripper_width,
                              expected_width=grip)
            felt = now.external_torque - calm
            pull = float(weights @ felt)
            most = max(most, pull)
            theirs = pull >= needed and unexplained(call, now.joints, felt) < UNEXPLAINED
            pulled_s = pulled_s + READ_S if theirs else 0.0
            if pulled_s >= PULL_LASTS_S - READ_S / 2:
                return succeeded(pull_n=pull, waited_s=now.stamp - since)
        return failed(Reason.TIMEOUT, f'nobody took {name}: in {wait_s:.0f} s nobody pulled with '
                      f'{needed:.0f} N away from the robot for {PULL_LASTS_S} s; the most was '
                      f'{most:.0f} N', cause=Cause.TOOK_TOO_LONG, pull_n=most)

    def verify(self, call: Call) -> SkillResult:
        """The fingers are open, and the thing has not fallen."""
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        width, most = call.kit.robot.state().gripper_width, call.kit.robot.max_gripper_width
        now, pull_n = scene.get(held_by(call).name), call.measured['pull_n']
        told: dict[str, Any] = {'gripper_width': width, 'seen': now is not None}
        if not width >= most - OPEN_M:
            return unverified(f'the gripper opened to {width * 1000:.0f} mm only', **told)
        below = supports(now, scene) if now is not None else ()
        if now is not None and below:
            return unverified(f'{now.name} was let go at a pull of {pull_n:.0f} N, but nobody '
                              f'has it: it is on {below[0].name}', cause=Cause.FELL, **told)
        return succeeded(f'{held_by(call).name} was let go at a pull of {pull_n:.0f} N', **told)


def _back(call: Call, arm: Arm) -> SkillResult:
    """Away from what the person has now: where it is, nobody knows."""
    gone = call.scene.without([held_by(call).name])
    arm.request = MotionRequest(replace(call.scene, held=None, objects=gone),
                                gripper_width=arm.gripper_width())
    return arm.leave(BACK_M)


def _way_there(call: Call, start: FloatArray) -> JointTrajectory | SkillResult:
    """The motion that presents it: where the arm can bring it, the first of a few turns."""
    request = MotionRequest(call.scene)

    def bring(tcp: Pose, joints: FloatArray) -> JointTrajectory | MotionOutcome:
        outcome = call.kit.motion.to_joints(start, joints, request, call.ctx)
        return outcome.trajectory or outcome

    return first_way(call, _presented(call), request, 'where it is presented', 'the hand gets to '
                     f'the place in no way that presents {held_by(call).name}', bring, most=2,
                     near=start)


def _presented(call: Call) -> Iterator[Pose]:
    """TCP poses at the place, with the fingers away from the robot and more and more down."""
    at = np.array([call.args.get(axis, usual) for axis, usual in zip('xyz', PLACE_M)])
    out = _away(at)
    aside = np.cross((0.0, 0.0, 1.0), out)
    for lean in map(math.radians, LEANS_DEG):
        into = math.cos(lean) * out - math.sin(lean) * np.array([0.0, 0.0, 1.0])
        for x in (np.cross(aside, into), np.cross(into, aside), aside, -aside):
            yield tcp_into(x, into, at)


def _away(at: FloatArray) -> FloatArray:
    """The level direction from the robot to a place."""
    level = np.array([at[0], at[1], 0.0])
    return np.asarray(level / max(float(np.linalg.norm(level)), 1e-9))
