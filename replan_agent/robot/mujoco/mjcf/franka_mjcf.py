"""Our own Franka as MuJoCo XML: the DH chain, real limits and inertias, a friction gripper."""

from __future__ import annotations

import math
from functools import cache
from xml.etree import ElementTree as ET

from replan_agent.domain import franka, hand_camera
from replan_agent.domain import franka_links as shapes

from . import franka_dynamics as dynamics
from .franka_dynamics import Inertia
from .franka_looks import Looks
from .mjcf_xml import COLLISION_GROUP, VISUAL_GROUP, Value, node

PAD_THICKNESS_M = 0.008
HAND_CAMERA = 'hand'
_limits = cache(franka.limits)  # each joint of each world asks for them


def add_franka(root: ET.Element, model: str, looks: Looks, eye_in_hand: bool = False) -> None:
    """Add the arm `model` with its base at the world's origin, its servos and exclusions.

    With `eye_in_hand` there is a camera on its hand.
    """
    looks.add_assets(root)
    parent = _section(root, 'worldbody')
    for index in range(franka.JOINTS + 1):
        parent = _link(parent, model, index, looks)
    hand = _hand(parent, model, looks)
    if eye_in_hand:
        _camera(hand, model)
    _exclusions(_section(root, 'contact'), model)
    _actuators(root, model)


def _section(root: ET.Element, tag: str) -> ET.Element:
    found = root.find(tag)
    return node(root, tag) if found is None else found


def _link(parent: ET.Element, model: str, index: int, looks: Looks) -> ET.Element:
    """Link `index` as a child of the previous one; link 0 is fixed to the world."""
    name = f'{model}_link{index}'
    if index == 0:
        body = node(parent, 'body', name=name)
    else:
        a, d, alpha = (table[index - 1] for table in (franka.DH_A, franka.DH_D, franka.DH_ALPHA))
        body = node(parent, 'body', name=name, gravcomp=1,
                    pos=(a, -math.sin(alpha) * d, math.cos(alpha) * d),
                    quat=(math.cos(alpha / 2), math.sin(alpha / 2), 0, 0))
        _arm_joint(body, model, index - 1)
    _inertial(body, dynamics.LINKS[model][index])
    _collision(body, name, shapes.LINKS[index])
    looks.add_part(body, f'link{index}')
    return body


def _arm_joint(body: ET.Element, model: str, i: int) -> None:
    limits = _limits(model)
    effort = float(limits.effort[i])
    # The motors also carry gravity, so gravity counts against their effort limit.
    node(body, 'joint', name=limits.names[i], axis=(0, 0, 1), armature=dynamics.ARMATURE[i],
         damping=dynamics.JOINT_DAMPING, range=(limits.lower[i], limits.upper[i]),
         actuatorgravcomp=True, actuatorfrcrange=(-effort, effort))


def _hand(parent: ET.Element, model: str, looks: Looks) -> ET.Element:
    half = franka.HAND_YAW / 2
    body = node(parent, 'body', name=f'{model}_hand', pos=(0, 0, franka.FLANGE_M), gravcomp=1,
                quat=(math.cos(half), 0, 0, math.sin(half)))
    _inertial(body, dynamics.HAND)
    _collision(body, f'{model}_hand', shapes.HAND)
    looks.add_part(body, 'hand')
    node(body, 'site', name=f'{model}_hand_tcp', pos=(0, 0, franka.TCP_M), size=(0.002,), group=4)
    _finger(body, model, 'left', 1, (1, 0, 0, 0), looks)
    _finger(body, model, 'right', 2, (0, 0, 0, 1), looks)
    return body


def _camera(hand: ET.Element, model: str) -> None:
    """The camera on its bracket. Its mass is that of the hand: a real arm is told about it."""
    body, eye = hand_camera.BODY, hand_camera.T_HAND_CAMERA
    _collision(hand, f'{model}_hand_camera', (body,))
    node(hand, 'geom', type='box', pos=body.centre, size=[s / 2 for s in body.size],
         group=VISUAL_GROUP, contype=0, conaffinity=0, mass=0, rgba=(0.15, 0.15, 0.17, 1))
    x, y, _ = eye.rotation.T
    node(hand, 'camera', name=HAND_CAMERA, pos=eye.position, fovy=hand_camera.FOVY_DEG,
         xyaxes=(*x, *-y))  # MuJoCo's camera looks along its -z with y up


def _finger(hand: ET.Element, model: str, side: str, number: int,
            quat: tuple[float, ...], looks: Looks) -> None:
    name = f'{model}_{side}finger'
    body = node(hand, 'body', name=name, pos=(0, 0, franka.FINGER_FRAME_M), quat=quat, gravcomp=1)
    _inertial(body, dynamics.FINGER)
    node(body, 'joint', name=f'{model}_finger_joint{number}', type='slide', axis=(0, 1, 0),
         range=(0, franka.MAX_GRIPPER_WIDTH_M / 2), armature=dynamics.FINGER_ARMATURE,
         damping=dynamics.FINGER_DAMPING, solreflimit=(0.004, 1),
         solimplimit=(0.99, 0.999, 0.0005, 0.5, 2))
    _collision(body, name, shapes.FINGER)
    centre = franka.TCP_M - franka.FINGER_FRAME_M
    node(body, 'geom', name=f'{name}_pad', type='box', mass=0, group=COLLISION_GROUP,
         pos=(0, PAD_THICKNESS_M / 2, centre), condim=4, friction=(1.0, 0.02, 0.001),
         size=(franka.PAD_WIDTH_M / 2, PAD_THICKNESS_M / 2, franka.PAD_HEIGHT_M / 2))
    looks.add_part(body, 'finger')


def _inertial(body: ET.Element, inertia: Inertia) -> None:
    node(body, 'inertial', pos=inertia.centre, mass=inertia.mass, fullinertia=inertia.tensor)


def _collision(body: ET.Element, name: str,
               parts: tuple[shapes.Part, ...]) -> None:
    for k, part in enumerate(parts):
        if isinstance(part, shapes.Capsule):
            shape: dict[str, Value] = {'type': 'capsule', 'fromto': (*part.start, *part.end),
                                       'size': (part.radius,)}
        else:
            shape = {'type': 'box', 'pos': part.centre, 'size': [s / 2 for s in part.size]}
        node(body, 'geom', name=f'{name}_wrap{k}', group=COLLISION_GROUP, mass=0, **shape)


def _exclusions(contact: ET.Element, model: str) -> None:
    """Links always touch their neighbours and next neighbours: exclude those pairs."""
    links = [f'{model}_link{i}' for i in range(franka.JOINTS + 1)]
    hand, left, right = (f'{model}_{part}' for part in ('hand', 'leftfinger', 'rightfinger'))
    for first, second in [*zip(links, links[1:]), *zip(links, links[2:]), (links[-1], hand),
                          (hand, left), (hand, right), (left, right)]:
        node(contact, 'exclude', body1=first, body2=second)


def _actuators(root: ET.Element, model: str) -> None:
    """Position servos of the joints, one servo of the width between the two coupled fingers."""
    limits = _limits(model)
    section = _section(root, 'actuator')
    for i, joint in enumerate(limits.names):
        effort = float(limits.effort[i])
        node(section, 'position', name=joint, joint=joint, kp=dynamics.STIFFNESS[i],
             kv=dynamics.SERVO_DAMPING[i], forcerange=(-effort, effort))
    fingers = [f'{model}_finger_joint{i}' for i in (1, 2)]
    tendon = node(_section(root, 'tendon'), 'fixed', name=f'{model}_gripper_width')
    for finger in fingers:  # the sum of the strokes, so each finger presses with the full force
        node(tendon, 'joint', joint=finger, coef=1)
    force = franka.MAX_GRIPPER_FORCE_N
    node(section, 'position', name=f'{model}_gripper', tendon=f'{model}_gripper_width',
         kp=dynamics.GRIPPER_STIFFNESS, kv=dynamics.GRIPPER_DAMPING, forcerange=(-force, force))
    node(_section(root, 'equality'), 'joint', joint1=fingers[0], joint2=fingers[1],
         polycoef=(0, 1, 0, 0, 0), solref=(0.005, 1), solimp=(0.95, 0.99, 0.001, 0.5, 2))

