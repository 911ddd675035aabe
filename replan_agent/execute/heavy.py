"""Whether an object is too heavy: for the arm, by its felt weight, or for the grip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.hand import STOOD_STILL_M, never_held, slid_in_grip
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason, SkillResult, failed
from replan_agent.motion.motion_protocols import Grasp

from .arm import Arm
from .contract import Call, unverified
from .grasping import raised

GRAVITY = 9.81  # m/s²
SLOW = 0.25  # share of the configured speed; so slow that weight alone counts
LOADED = ContactGuard(threshold=30.0)  # N·m; the largest load at full reach stays below
FELT_AT_LEAST_N = 1.0  # less than this is not measured well, or the arm feels nothing at all
WIDTH_TOLERANCE_M = 0.005  # fingers that are wider apart than this do not press on it
STUCK_M = 0.003  # fingers that do not come closer, and are wider apart than this, are stuck
_STEP_RAD = 1e-4


def take_up(arm: Arm, grasp: Grasp) -> SkillResult:
    """Raise the object off its support, slowly. The arm then stands still and feels its weight.

    Only here a load may come on the arm, so only here the guard lets it. There is nothing new to
    touch within this little way.
    """
    request, guard = arm.request, arm.guard
    arm.request, arm.guard = replace(request, speed=min(request.speed, SLOW)), LOADED
    result = arm.straight(raised(grasp))
    arm.request, arm.guard = request, guard
    return result


def load_n(call: Call, empty: FloatArray) -> float:
    """The vertical force (N) on the hand that the joints feel at standstill.

    `empty` is the torque (N·m) that they felt with nothing in the hand.
    """
    state, forward = call.kit.robot.state(), call.kit.motion.forward
    shifts = _STEP_RAD * np.eye(len(state.joints))
    rise = np.array([forward(state.joints + d).position[2] - forward(state.joints - d).position[2]
                     for d in shifts]) / (2 * _STEP_RAD)  # m/rad
    squared = float(rise @ rise)
    return abs(float(rise @ (state.external_torque - empty))) / squared if squared else 0.0


def too_heavy_for_arm(thing: SceneObject, raised: SkillResult, load: float,
                      max_load_kg: float) -> SkillResult | None:
    """A failure if the arm must not lift the object, else None. `raised` is from `take_up`.

    It is a proof only if the load (N) that was felt is too large: what is stuck may come loose.
    What stops the arm while next to nothing pulls at the hand stays a contact.
    """
    stuck = bool(raised.evidence.get('contact')) and load >= FELT_AT_LEAST_N
    overloaded = load > max_load_kg * GRAVITY
    if not stuck and not overloaded:
        return None
    return failed(Reason.PRECONDITION_FAILED, f'{thing.name} pulls at the hand with {load:.1f} N, '
                  f'as {load / GRAVITY:.2f} kg do{", and does not rise by 1 cm" * stuck}: it is '
                  f'stuck, or heavier than the {max_load_kg:g} kg that the arm carries',
                  cause=Cause.TOO_HEAVY, proved_impossible=overloaded, load_n=load, stuck=stuck)


def too_heavy_for_grip(call: Call, thing: SceneObject,
                       measured: Mapping[str, Any]) -> SkillResult | None:
    """A failure if even the highest force and a slow lift let `thing` slip, else None.

    `measured` is the evidence of that lift. The fingers pressed on it, and it is still seen.
    """
    force, load, closed = call.args.get('force', 0.0), measured['load_n'], measured['closed_width']
    gave_way = closed - measured.get('gripper_width', 0.0) > STOOD_STILL_M
    if (force < call.kit.arm.hand.max_force_n or call.args.get('speed', 1.0) > SLOW
            or closed - measured['expected_width'] > (WIDTH_TOLERANCE_M if gave_way else STUCK_M)
            or not _left_behind(call, thing, closed)):
        return None
    carried = '' if load < FELT_AT_LEAST_N else (
        f'. They carried {load:.1f} N ({load / GRAVITY:.2f} kg), and that did not lift it')
    return unverified(f'{force:g} N do not hold {thing.name}: it slid through the fingers in a '
                      f'slow lift{carried}', Reason.GRASP_SLIPPED, Cause.TOO_HEAVY,
                      proved_impossible=True, load_n=load)


def slid_in_lift(result: SkillResult) -> bool:
    """Whether a lift ended with a jolt that came from the object: the fingers gave way."""
    return bool(result.evidence.get('contact') and slid_in_grip(result.evidence))


def _left_behind(call: Call, thing: SceneObject, closed: float) -> bool:
    """Whether a fresh look shows the object below the hand. It may have slid or rolled.

    What rose with the hand was not left behind, also if the look does not show it as held. Nor was
    what fingers are above that still are as far apart: they are stuck, and never held it.
    """
    scene = call.observe()
    now = scene.get(thing.name) if isinstance(scene, Scene) and scene.held != thing.name else None
    return (isinstance(scene, Scene) and now is not None
            and not never_held(scene.arm, closed, now) and now.position[2]
            - thing.position[2] < call.kit.motion_config.lift_height / 2)
