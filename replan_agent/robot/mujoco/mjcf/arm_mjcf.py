"""An arm as MuJoCo XML: the chain of its joints, its limits and inertias, a friction gripper."""

from __future__ import annotations

import math
from functools import lru_cache
from xml.etree import ElementTree as ET

from replan_agent.arms.arm_model import ArmModel, Capsule, Inertia, Part

from .arm_looks import Looks
from .mjcf_xml import COLLISION_GROUP, VISUAL_GROUP, Value, node, sections

PAD_THICKNESS_M = 0.008
HAND_CAMERA = 'hand'


@lru_cache(maxsize=8)
def arm_xml(arm: ArmModel, looks: Looks, eye_in_hand: bool = False) -> str:
    """Sections with the arm, its base at the world's origin, its servos and exclusions.

    With `eye_in_hand` there is a camera on its hand.
    """
    root = ET.Element('mujoco')
    looks.add_assets(root)
    parent = _section(root, 'worldbody')
    for index in range(arm.joint_count + 1):
        parent = _link(parent, arm, index, looks)
    hand = _hand(parent, arm, looks)
    if eye_in_hand:
        _camera(hand, arm)
    _exclusions(_section(root, 'contact'), arm)
    _actuators(root, arm)
    return sections(root)


def _section(root: ET.Element, tag: str) -> ET.Element:
    found = root.find(tag)
    return node(root, tag) if found is None else found


def _link(parent: ET.Element, arm: ArmModel, index: int, looks: Looks) -> ET.Element:
    """Link `index` as a child of the previous one; link 0 is fixed to the world."""
    name = arm.frame(f'link{index}')
    if index == 0:
        body = node(parent, 'body', name=name)
    else:
        place, turn = arm.mounts[index - 1]
        body = node(parent, 'body', name=name, gravcomp=1, pos=place, quat=turn)
        _arm_joint(body, arm, index - 1)
    _inertial(body, arm.dynamics.links[index])
    _collision(body, name, arm.shapes.links[index])
    looks.add_part(body, f'link{index}')
    return body


def _arm_joint(body: ET.Element, arm: ArmModel, i: int) -> None:
    limits = arm.limits
    effort = float(limits.effort[i])
    # The motors also carry gravity, so gravity counts against their effort limit.
    node(body, 'joint', name=limits.names[i], axis=(0, 0, 1), armature=arm.dynamics.armature[i],
         damping=arm.dynamics.joint_damping, range=(limits.lower[i], limits.upper[i]),
         actuatorgravcomp=True, actuatorfrcrange=(-effort, effort))


def _hand(parent: ET.Element, arm: ArmModel, looks: Looks) -> ET.Element:
    half = arm.hand_yaw / 2
    body = node(parent, 'body', name=arm.frame('hand'), pos=(0, 0, arm.flange_m), gravcomp=1,
                quat=(math.cos(half), 0, 0, math.sin(half)))
    _inertial(body, arm.dynamics.hand)
    _collision(body, arm.frame('hand'), arm.shapes.hand)
    looks.add_part(body, 'hand')
    node(body, 'site', name=arm.frame('hand_tcp'), pos=(0, 0, arm.hand.tcp_m), size=(0.002,),
         group=4)
    _finger(body, arm, 'left', (1, 0, 0, 0), looks)
    _finger(body, arm, 'right', (0, 0, 0, 1), looks)
    return body


def _camera(hand: ET.Element, arm: ArmModel) -> None:
    """The camera on its bracket. Its mass is that of the hand: a real arm is told about it."""
    body, eye = arm.camera.body, arm.camera.T_hand_camera
    _collision(hand, arm.frame('hand_camera'), (body,))
    node(hand, 'geom', type='box', pos=body.centre, size=[s / 2 for s in body.size],
         group=VISUAL_GROUP, contype=0, conaffinity=0, mass=0, rgba=(0.15, 0.15, 0.17, 1))
    x, y, _ = eye.rotation.T
    node(hand, 'camera', name=HAND_CAMERA, pos=eye.position, fovy=arm.camera.fovy_deg,
         xyaxes=(*x, *-y))  # MuJoCo's camera looks along its -z with y up


def _finger(hand: ET.Element, arm: ArmModel, side: str,
            quat: tuple[float, ...], looks: Looks) -> None:
    name, sizes, dynamics = arm.frame(f'{side}finger'), arm.hand, arm.dynamics
    body = node(hand, 'body', name=name, pos=(0, 0, sizes.finger_frame_m), quat=quat, gravcomp=1)
    _inertial(body, dynamics.finger)
    node(body, 'joint', name=arm.finger_names[side == 'right'], type='slide', axis=(0, 1, 0),
         range=(0, sizes.max_width_m / 2), armature=dynamics.finger_armature,
         damping=dynamics.finger_damping, solreflimit=(0.004, 1),
         solimplimit=(0.99, 0.999, 0.0005, 0.5, 2))
    _collision(body, name, arm.shapes.finger)
    centre = sizes.tcp_m - sizes.finger_frame_m
    node(body, 'geom', name=f'{name}_pad', type='box', mass=0, group=COLLISION_GROUP,
         pos=(0, PAD_THICKNESS_M / 2, centre), condim=4, friction=(1.0, 0.02, 0.001),
         size=(sizes.pad_width_m / 2, PAD_THICKNESS_M / 2, sizes.pad_height_m / 2))
    looks.add_part(body, 'finger')


def _inertial(body: ET.Element, inertia: Inertia) -> None:
    node(body, 'inertial', pos=inertia.centre, mass=inertia.mass, fullinertia=inertia.tensor)


def _collision(body: ET.Element, name: str, parts: tuple[Part, ...]) -> None:
    for k, part in enumerate(parts):
        if isinstance(part, Capsule):
            shape: dict[str, Value] = {'type': 'capsule', 'fromto': (*part.start, *part.end),
                                       'size': (part.radius,)}
        else:
            shape = {'type': 'box', 'pos': part.centre, 'size': [s / 2 for s in part.size]}
        node(body, 'geom', name=f'{name}_wrap{k}', group=COLLISION_GROUP, mass=0, **shape)


def _exclusions(contact: ET.Element, arm: ArmModel) -> None:
    """Links always touch their neighbours and next neighbours: exclude those pairs."""
    links = [arm.frame(f'link{i}') for i in range(arm.joint_count + 1)]
    hand, left, right = (arm.frame(part) for part in ('hand', 'leftfinger', 'rightfinger'))
    for first, second in [*zip(links, links[1:]), *zip(links, links[2:]), (links[-1], hand),
                          (hand, left), (hand, right), (left, right)]:
        node(contact, 'exclude', body1=first, body2=second)


def _actuators(root: ET.Element, arm: ArmModel) -> None:
    """Position servos of the joints, one servo of the width between the two coupled fingers."""
    limits, dynamics = arm.limits, arm.dynamics
    section = _section(root, 'actuator')
    for i, joint in enumerate(limits.names):
        effort = float(limits.effort[i])
        node(section, 'position', name=joint, joint=joint, kp=dynamics.stiffness[i],
             kv=dynamics.servo_damping[i], forcerange=(-effort, effort))
    fingers, width = arm.finger_names, arm.frame('gripper_width')
    tendon = node(_section(root, 'tendon'), 'fixed', name=width)
    for finger in fingers:  # the sum of the strokes, so each finger presses with the full force
        node(tendon, 'joint', joint=finger, coef=1)
    force = arm.hand.max_force_n
    node(section, 'position', name=arm.frame('gripper'), tendon=width,
         kp=dynamics.gripper_stiffness, kv=dynamics.gripper_damping, forcerange=(-force, force))
    node(_section(root, 'equality'), 'joint', joint1=fingers[0], joint2=fingers[1],
         polycoef=(0, 1, 0, 0, 0), solref=(0.005, 1), solimp=(0.95, 0.99, 0.001, 0.5, 2))

