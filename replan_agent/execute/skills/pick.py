"""pick: take an object from above, lift it, and make sure that it came along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
from replan_agent.motion.protocols import Grasp, MotionRequest

from ..arm import Arm
from ..contract import Call, Skill, precondition, unverified

GRASP_FORCE_N = 40.0
CLOSED_ON_NOTHING_M = 0.002
WIDTH_SHARE_AT_LEAST = 0.5  # closer together than this, the pads hold something else or nothing


@dataclass(frozen=True)
class Reach:
    """A grasp the arm can get to, and the joints above it."""

    grasp: Grasp
    above: FloatArray


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
        narrowest = call.kit.grasps.narrowest_width(thing)
        if not call.kit.grasps.candidates(thing, call.scene):
            return precondition(
                f'{thing.name} is {narrowest * 1000:.0f} mm across at its narrowest, too wide '
                f'for a gripper that opens {call.kit.robot.max_gripper_width * 1000:.0f} mm',
                proved_impossible=True, narrowest_width=narrowest)
        return None

    def run(self, call: Call) -> SkillResult:
        reach = self._choose(call)
        if isinstance(reach, SkillResult):
            return reach
        arm, grasp = Arm(call, (('gripper', _thing(call).name),)), reach.grasp
        reached = call.in_phases([
            ('open', lambda: arm.open_to(grasp.opening)),
            ('approach', lambda: arm.to_joints(reach.above)),
            ('descend', lambda: arm.straight(grasp.tcp)),
            ('grasp', lambda: arm.close(GRASP_FORCE_N)),
        ])
        if not reached.success:
            return reached
        result = self._closed_on_something(arm, grasp)
        if result.success:
            result = call.in_phases([('lift', lambda: arm.straight(_lifted(call, grasp)))])
        if not result.success:
            _let_go_and_retreat(call, arm, reach)
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
        """The grasp with the most natural posture, among those with a way down and up again."""
        # Postures near home, not near where the arm happens to be: it must not wander from task
        # to task into ever stranger configurations.
        motion, home = call.kit.motion, call.kit.robot.home
        grasps = call.kit.grasps.candidates(_thing(call), call.scene)
        height = call.kit.motion_config.approach_height
        above = motion.reachable([g.tcp.moved(dz=height) for g in grasps], home)
        reaches = [Reach(g, q) for g, q in zip(grasps, above) if q is not None]
        reaches.sort(key=lambda r: _travel(r, home) - 10 * r.grasp.score)
        for reach in reaches:
            if self._down_and_up(call, reach):
                return reach
        report = motion.solve_ik(grasps[0].tcp, home).report
        if report is None:  # the grasp itself can be reached, but not by going straight down to it
            report = motion.solve_ik(grasps[0].tcp.moved(dz=height), home).report
        detail = report.sentence if report else (
            f'none of {len(grasps)} grasps can be reached straight from above')
        return failed(Reason.UNREACHABLE, detail, FailedStage.PLANNING, report,
                      tried=[g.label for g in grasps])

    @staticmethod
    def _down_and_up(call: Call, reach: Reach) -> bool:
        """Whether straight lines lead from above the object to the grasp and up again."""
        motion, request = call.kit.motion, MotionRequest(call.scene)
        down = motion.straight(reach.above, reach.grasp.tcp, request, call.ctx)
        if down.trajectory is None:
            return False
        lifted = _lifted(call, reach.grasp)
        return motion.straight(down.trajectory.end, lifted, request, call.ctx).trajectory is not None

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


def _lifted(call: Call, grasp: Grasp) -> Pose:
    return grasp.tcp.moved(dz=call.kit.motion_config.lift_height)


def _travel(reach: Reach, near: FloatArray) -> float:
    return float(np.linalg.norm(reach.above - near))


def _let_go_and_retreat(call: Call, arm: Arm, reach: Reach) -> None:
    """Leave the arm free for whatever comes next; a failure here changes nothing to report."""
    up = arm.tcp().moved(dz=call.kit.motion_config.approach_height)
    call.in_phases([('release', lambda: arm.open_to(reach.grasp.opening)),
                    ('retreat', lambda: arm.straight(up))])
