# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm as MuJoCo XML: the chain of its joints, its limits and inertias, a friction gripper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Capsule, FingerBody, Hull, Inertia, Part
from replan_agent.domain.hand_shape import polynomial

from .arm_looks import Looks
from .mjcf_xml import COLLISION_GROUP, VISUAL_GROUP, Value, node, sections

HAND_CAMERA = 'hand'


@lru_cache(maxsize=8)
def arm_xml(arm: ArmModel, looks: Looks, eye_in_hand: bool = False) -> str:
    """Sections with the arm, its base at the world's origin, its servos and exclusions.

    With `eye_in_hand` there is a camera on its hand.
    """
    root = ET.Element('mujoco')
    looks.add_assets(root)
    _meshes(_section(root, 'asset'), arm)
    parent = _section(root, 'worldbody')
    for index in range(arm.joint_count + 1):
        parent = _link(parent, arm, index, looks)
    hand = _hand(parent, arm, looks)
    if eye_in_hand:
        _camera(hand, arm)
    contact = _section(root, 'contact')
    for first, second in (*arm.never_touch, *itertools.combinations(arm.hand_parts, 2)):
        node(contact, 'exclude', body1=arm.frame(first), body2=arm.frame(second))
    _actuators(root, arm)
    return sections(root)


def _meshes(asset: ET.Element, arm: ArmModel) -> None:
    """The hulls that the geoms refer to."""
    bodies = {**{f'link{i}': parts for i, parts in enumerate(arm.shapes.links)},
              'hand': arm.shapes.hand, **{body.name: body.shapes for body in arm.gripper.fingers}}
    for name, parts in bodies.items():
        for k, part in enumerate(parts):
            if isinstance(part, Hull):
                node(asset, 'mesh', name=f'{arm.frame(name)}_wrap{k}',
                     vertex=np.ravel(part.corners))


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
         damping=arm.dynamics.joint_damping[i], range=(limits.lower[i], limits.upper[i]),
         actuatorgravcomp=True, actuatorfrcrange=(-effort, effort))


def _hand(parent: ET.Element, arm: ArmModel, looks: Looks) -> ET.Element:
    at = arm.T_link_hand
    body = node(parent, 'body', name=arm.frame('hand'), pos=at.position, gravcomp=1,
                quat=at.quaternion)
    _inertial(body, arm.dynamics.hand)
    _collision(body, arm.frame('hand'), arm.shapes.hand)
    looks.add_part(body, 'hand')
    node(body, 'site', name=arm.frame('hand_tcp'), pos=(0, 0, arm.hand.tcp_m), size=(0.002,),
         group=4)
    if not arm.gripper.is_straight:
        width = node(body, 'body', name=arm.frame('gripper_width'))
        node(width, 'inertial', pos=(0, 0, 0), mass=1e-3, diaginertia=(1e-6, 1e-6, 1e-6))
        _slide(width, arm, arm.frame('gripper_width'), arm.hand.max_width_m)
    bodies = {'hand': body}
    for finger in arm.gripper.fingers:
        bodies[finger.name] = _finger(bodies[finger.parent], arm, finger, looks)
    return body


def _slide(body: ET.Element, arm: ArmModel, name: str, far_m: float) -> None:
    """A joint along y that opens the hand."""
    node(body, 'joint', name=name, type='slide', axis=(0, 1, 0), range=(0, far_m),
         armature=arm.dynamics.finger_armature, damping=arm.dynamics.finger_damping,
         solreflimit=(0.004, 1), solimplimit=(0.99, 0.999, 0.0005, 0.5, 2))


def _camera(hand: ET.Element, arm: ArmModel) -> None:
    """The camera on its bracket. Its mass is that of the hand: a real arm is told about it."""
    body, eye = arm.camera.body, arm.camera.T_hand_camera
    _collision(hand, arm.frame('hand_camera'), (body,))
    node(hand, 'geom', type='box', pos=body.centre, size=[s / 2 for s in body.size],
         group=VISUAL_GROUP, contype=0, conaffinity=0, mass=0, rgba=(0.15, 0.15, 0.17, 1))
    x, y, _ = eye.rotation.T
    node(hand, 'camera', name=HAND_CAMERA, pos=eye.position, fovy=arm.camera.fovy_deg,
         xyaxes=(*x, *-y))  # MuJoCo's camera looks along its -z with y up


def _finger(parent: ET.Element, arm: ArmModel, finger: FingerBody, looks: Looks) -> ET.Element:
    name, at, straight = arm.frame(finger.name), finger.T_parent, arm.gripper.is_straight
    body = node(parent, 'body', name=name, pos=at.position, quat=at.quaternion, gravcomp=1)
    _inertial(body, finger.inertia)
    if straight:
        _slide(body, arm, finger.joint, arm.hand.max_width_m / 2)
    else:
        node(body, 'joint', name=finger.joint, type='slide' if finger.slides else 'hinge',
             axis=finger.axis)
    _collision(body, name, finger.shapes)
    for k, pad in enumerate(finger.pads):
        node(body, 'geom', name=f'{name}_pad{k or ""}', type='box', mass=0, group=COLLISION_GROUP,
             pos=pad.centre, condim=4, friction=(1.0, 0.02, 0.001), size=[s / 2 for s in pad.size])
    looks.add_part(body, 'finger' if straight else finger.name)
    return body


def _inertial(body: ET.Element, inertia: Inertia) -> None:
    node(body, 'inertial', pos=inertia.centre, mass=inertia.mass, fullinertia=inertia.tensor)


def _collision(body: ET.Element, name: str, parts: tuple[Part, ...]) -> None:
    for k, part in enumerate(parts):
        if isinstance(part, Capsule):
            shape: dict[str, Value] = {'type': 'capsule', 'fromto': (*part.start, *part.end),
                                       'size': (part.radius,)}
        elif isinstance(part, Hull):
            shape = {'type': 'mesh', 'mesh': f'{name}_wrap{k}'}
        else:
            shape = {'type': 'box', 'pos': part.centre, 'size': [s / 2 for s in part.size]}
        node(body, 'geom', name=f'{name}_wrap{k}', group=COLLISION_GROUP, mass=0, **shape)


def _actuators(root: ET.Element, arm: ArmModel) -> None:
    """Position servos of the joints, one of the width between the fingers, which are coupled."""
    limits, dynamics = arm.limits, arm.dynamics
    section = _section(root, 'actuator')
    for i, joint in enumerate(limits.names):
        effort = float(limits.effort[i])
        node(section, 'position', name=joint, joint=joint, kp=dynamics.stiffness[i],
             kv=dynamics.servo_damping[i], forcerange=(-effort, effort))
    hand, width, force = arm.gripper, arm.frame('gripper_width'), arm.hand.max_force_n
    ties: list[tuple[str, str, Sequence[float]]] = [
        (body.joint, width, (*body.by_width, 0, 0, 0, 0)[:5]) for body in hand.fingers]
    if hand.is_straight:
        tendon = node(_section(root, 'tendon'), 'fixed', name=width)
        for finger in hand.reads:  # the sum of the strokes: each presses with the full force
            node(tendon, 'joint', joint=finger, coef=1)
        ties = [(hand.reads[0], hand.reads[1], (0, 1, 0, 0, 0))]
    node(section, 'position', name=arm.frame('gripper'), kp=dynamics.gripper_stiffness,
         kv=dynamics.gripper_damping, forcerange=(-force, force),
         **{'tendon' if hand.is_straight else 'joint': width})
    for joint, follows, law in ties:
        node(_section(root, 'equality'), 'joint', joint1=joint, joint2=follows, polycoef=law,
             solref=(0.005, 1), solimp=(0.95, 0.99, 0.001, 0.5, 2))


def finger_positions(arm: ArmModel, width_m: float) -> dict[str, float]:
    """The joints of the hand in a model that `arm_xml` describes, for a width between the pads."""
    hand = arm.gripper
    law = {} if hand.is_straight else {arm.frame('gripper_width'): width_m}
    return law | {body.joint: polynomial(body.by_width, width_m) for body in hand.fingers}
