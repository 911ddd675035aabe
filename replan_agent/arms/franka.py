# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Franka arms: the Panda and the FR3s, with Franka's hand and a camera on it."""

from __future__ import annotations

import math
from functools import partial

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import Pose

from . import arm_model as arms
from . import franka_numbers as numbers
from .franka_ik import AnalyticIK
from .franka_kinematics import FrankaKinematics
from .franka_reach import prove

HAND = HandShape(tcp_m=numbers.TCP_M, **numbers.values('hand'))
HOME_TCP, SHOULDER, SPAN_M = (0.3069, 0.0, 0.4869), (0.0, 0.0, numbers.DH_D[0]), 1.0
MAX_LOAD_KG = 2.27  # 3 kg at the flange, less the hand's own 0.73 kg

LINKS = [f'link{i}' for i in range(numbers.JOINTS + 1)]
SHAPES = arms.ArmShapes(tuple(numbers.SHAPES[link] for link in LINKS), numbers.SHAPES['hand'],
                   arms.Box((-0.04, 0.0, 0.0), (0.24, 0.20, 0.0)))
NEVER_TOUCH = (*zip(LINKS, LINKS[1:]), *zip(LINKS, LINKS[2:]), (LINKS[-1], 'hand'))
FINGER_FRAME_M, PAD_M = 0.0584, 0.008  # where the fingers slide, along the hand's z; thickness
PAD = arms.Box((0, PAD_M / 2, HAND.tcp_m - FINGER_FRAME_M),
          (HAND.pad_width_m, PAD_M, HAND.pad_height_m))
HAND_MASS, FINGER_MASS = numbers.INERTIAS['any']
FINGER_OUTLINE = arms.Box((0.0, 0.0195, 0.0295), (0.041, 0.041, 0.069))
TORQUES = 'franka_robot_state_broadcaster/external_joint_torques'
SIDES = (('leftfinger', 1, (1.0, 0.0, 0.0, 0.0)), ('rightfinger', 2, (0.0, 0.0, 0.0, 1.0)))

# On a bracket at the front of the hand, as a RealSense is on most cells. It looks along the
# fingers: x right is the hand's y, y down is towards the fingers.
CAMERA = arms.HandCamera(
    Pose((0.068, 0.0, 0.040), (0.5**0.5, 0.0, 0.0, 0.5**0.5)), fovy_deg=58.0, size_px=(640, 480),
    body=arms.Box((0.055, 0.0, 0.024), (0.047, 0.100, 0.030)))


def _mount(a: float, d: float, alpha: float) -> arms.Mount:
    """The frame of a joint in the one before it."""
    return ((a, -math.sin(alpha) * d, math.cos(alpha) * d),
            (math.cos(alpha / 2), math.sin(alpha / 2), 0, 0))


def _gripper(arm: str) -> arms.HandMap:
    fingers = tuple(arms.FingerBody(
        name, 'hand', Pose((0.0, 0.0, FINGER_FRAME_M), turn), f'{arm}_finger_joint{number}',
        (0.0, 1.0, 0.0), True, (0.0, 0.5), FINGER_MASS, numbers.SHAPES['finger'],
        (PAD,), (FINGER_OUTLINE,)) for name, number, turn in SIDES)
    joints = tuple(body.joint for body in fingers)
    return arms.HandMap(fingers, joints, (0.0, 0.5), HAND.max_width_m)


def _franka(name: str, other_names: tuple[str, ...] = (), like: str = '') -> arms.ArmModel:
    kinematics, gripper = FrankaKinematics(name), _gripper(name)
    return arms.ArmModel(
        name, other_names, kinematics, AnalyticIK(kinematics.limits),
        partial(prove, limits=kinematics.limits),
        tuple(map(_mount, numbers.DH_A, numbers.DH_D, numbers.DH_ALPHA)),
        Pose((0.0, 0.0, numbers.FLANGE_M), (math.cos(numbers.HAND_YAW / 2), 0.0, 0.0,
                                            math.sin(numbers.HAND_YAW / 2))),
        numbers.HOME, HOME_TCP, tuple(numbers.values('look').items()), SHOULDER, SPAN_M, HAND,
        gripper, SHAPES, NEVER_TOUCH, CAMERA, MAX_LOAD_KG,
        arms.Dynamics(numbers.INERTIAS[like or name], HAND_MASS, **numbers.values('motor')),
        arms.ArmLooks(numbers.values(f'{like or name}_colour'), numbers.PARTS),
        arms.ArmRos(f'{name}_arm_controller/follow_joint_trajectory',
                    f'{name}_gripper/gripper_action', gripper, external_torques=TORQUES))


# franka_description calls the Panda "fer" today.
PANDA = _franka('panda', other_names=('fer',))
FR3 = _franka('fr3')
FR3V2, FR3V2_1 = _franka('fr3v2'), _franka('fr3v2_1', like='fr3v2')  # the second generation
