"""The Franka arms: the Panda and the FR3, with Franka's hand and a camera on it."""

from __future__ import annotations

import math
from functools import partial

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import Pose

from . import franka_numbers as numbers
from . import franka_solids as solids
from .arm_model import ArmLooks, ArmModel, ArmShapes, Box, HandCamera, Vector
from .franka_ik import AnalyticIK
from .franka_kinematics import FrankaKinematics
from .franka_reach import prove

HAND = HandShape(
    tcp_m=numbers.TCP_M, finger_frame_m=0.0584, tip_beyond_tcp_m=0.0089, palm_above_tcp_m=0.0374,
    pad_height_m=0.0178, pad_width_m=0.0178, half_finger_m=0.0105, tip_m=0.008, finger_m=0.014,
    block_m=0.0265, block_behind_m=0.025, half_width_m=0.102, half_depth_m=0.033, height_m=0.07,
    max_width_m=0.08, max_force_n=70.0, max_speed_m_s=0.1,
    reach_m=(0.30, 0.74), stretched_m=(0.65, 0.85))
HOME_TCP = (0.3069, 0.0, 0.4869)
LOOK_POSTURES = (
    ('left', (0.627, 0.162, 0.369, -1.513, -0.560, 1.130, 0.880)),
    ('front', (0.0, 0.587, 0.0, -0.867, 0.0, 1.044, 0.785)),
    ('right', (-0.619, 0.164, -0.371, -1.506, 0.565, 1.128, 0.773)),
)
SHOULDER, SPAN_M = (0.0, 0.0, numbers.DH_D[0]), 1.0
MAX_LOAD_KG = 2.27  # 3 kg at the flange, less the hand's own 0.73 kg

SHAPES = ArmShapes(tuple(solids.SHAPES[f'link{i}'] for i in range(numbers.JOINTS + 1)),
                   solids.SHAPES['hand'], solids.SHAPES['finger'],
                   Box((0.0, 0.0195, 0.0295), (0.041, 0.041, 0.069)))

# On a bracket at the front of the hand, as a RealSense is on most cells. It looks along the
# fingers: x right is the hand's y, y down is towards the fingers.
CAMERA = HandCamera(
    Pose((0.068, 0.0, 0.040), (0.5**0.5, 0.0, 0.0, 0.5**0.5)), fovy_deg=58.0, size_px=(640, 480),
    body=Box((0.055, 0.0, 0.024), (0.047, 0.100, 0.030)))


def _mount(a: float, d: float, alpha: float) -> tuple[Vector, tuple[float, float, float, float]]:
    """The frame of a joint in the one before it."""
    return ((a, -math.sin(alpha) * d, math.cos(alpha) * d),
            (math.cos(alpha / 2), math.sin(alpha / 2), 0, 0))


def _franka(name: str, other_names: tuple[str, ...] = ()) -> ArmModel:
    kinematics = FrankaKinematics(name)
    return ArmModel(
        name, other_names, kinematics, AnalyticIK(kinematics.limits),
        partial(prove, limits=kinematics.limits),
        tuple(map(_mount, numbers.DH_A, numbers.DH_D, numbers.DH_ALPHA)), numbers.FLANGE_M,
        numbers.HAND_YAW, numbers.HOME, HOME_TCP, LOOK_POSTURES, SHOULDER, SPAN_M, HAND, SHAPES,
        CAMERA, MAX_LOAD_KG, solids.dynamics_of(name),
        ArmLooks(solids.MATERIALS[name], solids.PARTS),
        f'{name}_arm_controller/follow_joint_trajectory', f'{name}_gripper/gripper_action')


# franka_description calls the Panda "fer" today.
PANDA = _franka('panda', other_names=('fer',))
FR3 = _franka('fr3')
