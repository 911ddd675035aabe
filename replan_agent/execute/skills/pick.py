"""pick: take an object from above, lift it, and make sure that it came along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from replan_agent.domain.goal import is_resting_on
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.protocols import Grasp, MotionOutcome, MotionRequest

from ..arm import Arm, backed_off
from ..contract import Call, Skill, precondition, unverified

GRASP_FORCE_N = 40.0
CLOSED_ON_NOTHING_M = 0.002
MOST_TRIED = 8  # ways of one tier that are planned before going on to the next
WIDTH_FIT_WEIGHT = 10.0  # rad of joint motion that a metre of better fit is worth
WIDTH_SHARE_AT_LEAST = 0.5  # closer together than this, the pads hold something else or nothing


@dataclass(frozen=True)
class Reach:
    """A grasp with its planned motions: to where it is approached from, and down to it."""

    grasp: Grasp
    approach: JointTrajectory
    descent: JointTrajectory


class Pick(Skill):
    spec = SkillSpec(
        name='pick',
        description='Grasp an object from above and lift it. The gripper must be empty.',
        arguments={
            'type': 'object',
            'properties': {'object': {'type': 'string', 'description': 'name of the object'}},
            'required': ['object'],
            'additionalProperties': False,
        },
        object_arguments=('object',),
        needs_held=False,
        leaves_held=True,
        example='pick(object="red_cube")',
    )

    def check(self, call: Call) -> SkillResult | None:
        thing = _thing(call)
        if not thing.movable:
            return precondition(f'{thing.name} is fixed and cannot be picked')
        if call.scene.held is not None:
            return precondition(f'the gripper already holds {call.scene.held}')
        if next(call.kit.grasps.candidates(thing, call.scene), None) is None:
            narrowest = call.kit.grasps.narrowest_width(thing)
            return precondition(
                f'{thing.name} is {narrowest * 1000:.0f} mm across at its narrowest, too wide '
                f'for a gripper that opens {call.kit.robot.max_gripper_width * 1000:.0f} mm',
                proved_impossible=True, narrowest_width=narrowest)
        return None

    def run(self, call: Call) -> SkillResult:
        reach = self._choose(call)
        if isinstance(reach, SkillResult):
            return reach
        grasp = reach.grasp
        arm = Arm(call, _request(call, grasp))
        result = call.in_phases([
            ('open', lambda: arm.open_to(grasp.opening)),
            ('approach', lambda: arm.follow(reach.approach)),
        ])
        if not result.success:
            return result
        result = call.in_phases([
            ('descend', lambda: arm.follow(reach.descent)),
            ('grasp', lambda: arm.close(GRASP_FORCE_N)),
            ('check', lambda: self._closed_on_something(arm, grasp)),
        ])
        if result.success:
            arm.request = _holding_request(call, grasp)
            result = call.in_phases([('lift', lambda: arm.straight(_lifted(call, grasp)))])
        if not result.success:
            _retreat(call, arm, grasp)
        return result

    def verify(self, call: Call) -> SkillResult:
        thing, width = _thing(call), call.kit.robot.state().gripper_width
        if width < CLOSED_ON_NOTHING_M:
            return unverified(f'{thing.name} slipped out during the lift: the gripper is closed '
                              f'(width {width * 1000:.1f} mm)', Reason.GRASP_SLIPPED,
                              gripper_width=width)
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        now = scene.get(thing.name)
        if now is None:
            return unverified(f'{thing.name} is not seen after the lift', gripper_width=width)
        rise = now.position[2] - thing.position[2]
        evidence = {'gripper_width': width, 'rise': rise}
        if rise < call.kit.motion_config.lift_height / 2 or scene.held != thing.name:
            return unverified(f'{thing.name} rose {rise * 1000:.0f} mm of '
                              f'{call.kit.motion_config.lift_height * 1000:.0f} mm and is '
                              f'{"" if scene.held == thing.name else "not "}in the gripper',
                              Reason.GRASP_SLIPPED, **evidence)
        return succeeded(f'holding {thing.name}, {rise * 1000:.0f} mm up', **evidence)

    def _choose(self, call: Call) -> Reach | SkillResult:
        """The first grasp with a free way to it, down, and up again; else what stood against each.

        Postures are sought near home, not near where the arm happens to be: it must not wander
        from task to task into ever stranger configurations.
        """
        candidates = call.kit.grasps.candidates(_thing(call), call.scene)
        grasps: list[Grasp] = []
        tried: list[tuple[Grasp, MotionOutcome]] = []
        for _, tier in groupby(candidates, key=lambda grasp: grasp.tier):
            grasps += (of_tier := list(tier))
            for grasp, posture in self._postures(call, of_tier, tried):
                found = self._ways(call, grasp, posture)
                if isinstance(found, Reach):
                    return found
                tried.append((grasp, found))
        return _no_grasp(call, grasps, tried)

    @staticmethod
    def _postures(call: Call, grasps: list[Grasp], tried: list[tuple[Grasp, MotionOutcome]],
                  ) -> list[tuple[Grasp, FloatArray]]:
        """Ways for the arm to be at each grasp, the easiest first."""
        home, found = call.kit.robot.home, []
        for grasp in grasps:
            postures = call.kit.motion.postures(grasp.tcp, home, _request(call, grasp))
            if postures.contact is not None:
                tried.append((grasp, MotionOutcome(None, Reason.IN_COLLISION,
                                                   f'at the grasp {postures.contact}')))
            found += [(grasp, joints) for joints in postures.joints]

        def effort(item: tuple[Grasp, FloatArray]) -> float:
            return float(np.linalg.norm(item[1] - home)) - WIDTH_FIT_WEIGHT * item[0].score

        return sorted(found, key=effort)[:MOST_TRIED]

    @staticmethod
    def _ways(call: Call, grasp: Grasp, at: FloatArray) -> Reach | MotionOutcome:
        """All motions of the pick in this posture, or the one that cannot be made.

        They are planned from the grasp outwards: what is hardest to fit decides first.
        """
        motion, request = call.kit.motion, _request(call, grasp)
        back = motion.straight(at, _above(call, grasp), request, call.ctx)
        if back.trajectory is None:
            return back
        up = motion.straight(at, _lifted(call, grasp), _holding_request(call, grasp), call.ctx)
        if up.trajectory is None:
            return up
        approach = motion.to_joints(call.kit.robot.state().joints, back.trajectory.end, request,
                                    call.ctx)
        if approach.trajectory is None:
            return approach
        return Reach(grasp, approach.trajectory, back.trajectory.reversed())

    @staticmethod
    def _closed_on_something(arm: Arm, grasp: Grasp) -> SkillResult:
        width = arm.gripper_width()
        if width >= max(CLOSED_ON_NOTHING_M, WIDTH_SHARE_AT_LEAST * grasp.width):
            return succeeded()
        return failed(Reason.GRASP_MISSED,
                      f'the gripper closed to {width * 1000:.1f} mm, where '
                      f'{grasp.width * 1000:.1f} mm were expected', FailedStage.EXECUTION,
                      gripper_width=width, expected_width=grasp.width)


def _thing(call: Call) -> SceneObject:
    thing = call.scene.get(call.args['object'])
    assert thing is not None  # the executor checked
    return thing


def _above(call: Call, grasp: Grasp) -> Pose:
    return backed_off(grasp.tcp, call.kit.motion_config.approach_height)


def _lifted(call: Call, grasp: Grasp) -> Pose:
    return grasp.tcp.moved(dz=call.kit.motion_config.lift_height)


def _request(call: Call, grasp: Grasp) -> MotionRequest:
    """On the way to the object the open fingers may touch it, and nothing else."""
    return MotionRequest(call.scene, (('gripper', _thing(call).name),),
                         gripper_width=grasp.opening)


def _holding_request(call: Call, grasp: Grasp) -> MotionRequest:
    """On the way up the object is in the hand, and may touch what it stands on."""
    thing = _thing(call)
    arm = replace(call.scene.arm, tcp=grasp.tcp) if call.scene.arm else None
    scene = replace(call.scene, held=thing.name, arm=arm)
    below = tuple((thing.name, other.name) for other in call.scene.without([thing.name])
                  if is_resting_on(thing, other))
    return MotionRequest(scene, below, gripper_width=grasp.width)


def _no_grasp(call: Call, grasps: list[Grasp],
              tried: list[tuple[Grasp, MotionOutcome]]) -> SkillResult:
    """The failure that stands for all candidates, with what was tried and why each failed."""
    attempts = [f'{grasp.label}: {outcome.detail}' for grasp, outcome in tried]
    blocked = [(grasp, outcome) for grasp, outcome in tried
               if outcome.reason is not Reason.UNREACHABLE]
    if blocked:  # without what is in the way it could be reached, so that is the cause
        grasp, outcome = blocked[0]
        return failed(outcome.reason or Reason.PATH_BLOCKED,
                      f'none of {len(grasps)} grasps is free; {grasp.label}: {outcome.detail}',
                      FailedStage.PLANNING, outcome.ik, tried=attempts)
    home, report = call.kit.robot.home, None
    for pose in (grasps[0].tcp, _above(call, grasps[0])):
        report = report or call.kit.motion.solve_ik(pose, home).report
    detail = report.sentence if report else (
        f'none of {len(grasps)} grasps can be reached straight from above')
    return failed(Reason.UNREACHABLE, detail, FailedStage.PLANNING, report,
                  tried=attempts or [grasp.label for grasp in grasps])


def _retreat(call: Call, arm: Arm, grasp: Grasp) -> None:
    """Leave the arm free for whatever comes next; a failure here changes nothing to report.

    Fingers that are jammed open wider than planned stay so: `release` may fail, going up must not
    depend on it.
    """
    arm.request = replace(_request(call, grasp), gripper_width=arm.gripper_width())
    back = backed_off(arm.tcp(), call.kit.motion_config.approach_height)
    call.in_phases([('release', lambda: arm.open_to(grasp.opening))])
    call.in_phases([('retreat', lambda: arm.straight(back))])
