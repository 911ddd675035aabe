# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether an object is too heavy: for the arm, by its felt weight, or for the grip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.hand import CLOSED_M, STOOD_STILL_M, never_held, slid_in_grip
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.scene import Scene, SceneObject, Shape, was_felt
from replan_agent.domain.skill import Reason, SkillResult, failed
from replan_agent.geometry.outlines import apart_m
from replan_agent.motion.motion_protocols import Grasp

from .arm import Arm
from .contract import Call, unverified
from .felt import UNEXPLAINED
from .grasping import raised

GRAVITY = 9.81  # m/s²
SLOW = 0.25  # share of the configured speed; so slow that weight alone counts
LOADED = ContactGuard(threshold=30.0)  # N·m; the largest load at full reach stays below
FELT_AT_LEAST_N = 1.0  # less than this is not measured well, or the arm feels nothing at all
WIDTH_TOLERANCE_M = 0.005  # fingers that are wider apart than this do not press on it
LEAST_FRICTION = 0.1  # of pads on sides that are parallel, for all but what is greasy
STUCK_M = 0.003  # fingers that do not come closer, and are wider apart than this, are stuck
FELT_NEAR_M = 0.12  # what was felt so close to the object may hold the hand
BESIDE_M = 0.01  # what is so close to the object may hold it back
_STEP_RAD = 1e-4


def take_up(arm: Arm, grasp: Grasp) -> SkillResult:
    """Raise the object off its support, slowly. The arm then stands still and feels its weight.

    Only here a load may come on the arm, so only here the guard lets it: nothing new is so near.
    """
    request, guard = arm.request, arm.guard
    arm.request, arm.guard = replace(request, speed=min(request.speed, SLOW)), LOADED
    result = arm.straight(raised(grasp))
    arm.request, arm.guard = request, guard
    return result


def load_n(call: Call, empty: FloatArray) -> float:
    """The force (N) that pulls the hand down at standstill, as the joints feel it. `empty` is the
    torque (N·m) that they felt with nothing in the hand. What pushes the hand up is no weight."""
    return max(0.0, -_upward_n(call, call.kit.robot.state().external_torque - empty)[0])


def _upward_n(call: Call, torque: FloatArray) -> tuple[float, float]:
    """The vertical force (N) on the hand behind torques, and the share that it leaves over."""
    joints, forward = call.kit.robot.state().joints, call.kit.motion.forward
    shifts = _STEP_RAD * np.eye(len(joints))
    rise = np.array([forward(joints + d).position[2] - forward(joints - d).position[2]
                     for d in shifts]) / (2 * _STEP_RAD)  # m/rad
    force = float(rise @ torque) / (float(rise @ rise) or np.inf)
    return force, float(np.linalg.norm(torque - force * rise) / (np.linalg.norm(torque) or 1.0))


def too_heavy_for_arm(call: Call, thing: SceneObject, raised: SkillResult, load: float,
                      slid: bool) -> SkillResult | None:
    """A failure if the arm must not lift the object, else None. `raised` is from `take_up`.

    It is a proof only if the load (N) that is felt at rest is too large, and it stands alone: what
    is stuck may come loose, and what others lie on or beside may be held by them. What stops the
    arm is a pull at the hand as far as that explains it, else a contact; a jolt from what slid
    between the pads is neither, and is no weight; nor is what closed pads feel. Where something
    unseen was felt before, that may be what holds the hand.
    """
    most_kg, pull, felt = call.kit.arm.max_load_kg, load, load >= FELT_AT_LEAST_N
    if 'impact' in raised.evidence and (felt or not slid):
        upward, left_over = _upward_n(call, np.array(raised.evidence['impact']))
        pull = max(load, -upward if left_over < UNEXPLAINED else 0.0)
    stuck = pull >= FELT_AT_LEAST_N and (
        'contact' in raised.evidence or raised.cause is Cause.HELD_UP)
    overloaded = load > most_kg * GRAVITY and call.kit.robot.state().gripper_width > CLOSED_M
    if not stuck and not overloaded:
        return None
    if any(was_felt(o.name) and apart_m(thing, o) < FELT_NEAR_M for o in call.scene.objects):
        return failed(Reason.IN_COLLISION, f'the joints feel {pull:.1f} N on the hand, and '
                      'something was felt near it before', cause=Cause.UNEXPECTED_CONTACT)
    why = 'slides in the fingers that raise it: it is slippery, stuck, held back,' if slid else (
        'pulls at the hand' + f' with {load:.1f} N' * felt + (
            ' and does not rise by 1 cm: it is stuck, held back,' if stuck else
            f', as {load / GRAVITY:.2f} kg do: it is stuck,'))
    return failed(Reason.PRECONDITION_FAILED, f'{thing.name} {why} or heavier than the '
                  f'{most_kg:g} kg that the arm carries', cause=Cause.TOO_HEAVY, stuck=stuck,
                  proved_impossible=overloaded and not slid and not any(
                      apart_m(thing, o) < BESIDE_M for o in call.scene.without({thing.name})
                      if o.shape is not Shape.TABLE))


def too_weak_a_grip(call: Call, thing: SceneObject,
                       measured: Mapping[str, Any]) -> SkillResult | None:
    """A failure if even the highest force and a slow lift let `thing` slip, else None.

    `measured` is the evidence of that lift. The fingers pressed on it, and it is still seen. It is
    too heavy only if they carried what dry sides carry; else it is slippery, or, of any shape,
    slides out between its leaning sides: another grasp may hold that.
    """
    force, load, closed = measured['force_n'], measured['load_n'], measured['closed_width']
    carried = load >= 2 * LEAST_FRICTION * force
    gave_way = closed - measured.get('gripper_width', 0.0) > STOOD_STILL_M
    if (not measured['firmest'] or call.args.get('speed', 1.0) > SLOW
            or thing.pieces and not carried
            or closed - measured['expected_width'] > (WIDTH_TOLERANCE_M if gave_way else STUCK_M)
            or not _left_behind(call, thing, closed)):
        return None
    pull = '' if load < FELT_AT_LEAST_N else (
        f'. They carried {load:.1f} N ({load / GRAVITY:.2f} kg), and that did not lift it')
    return unverified(f'{force:g} N do not hold {thing.name}: it slid through the fingers in a '
                      f'slow lift{pull}', Reason.GRASP_SLIPPED,
                      Cause.TOO_HEAVY if carried else Cause.SLIPPED_IN_LIFT,
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
