# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small arms, written here: a URDF with six joints and an MJCF with seven, each with a hand."""

from __future__ import annotations

JOINTS6 = (  # name, place, turn (rpy), axis, length along z
    ('pan', '0 0 0.15', '0 0 0', '0 0 1'), ('lift', '0 0.12 0', '0 1.5708 0', '0 1 0'),
    ('elbow', '0 -0.10 0.40', '0 0 0', '0 1 0'), ('wrist1', '0 0 0.37', '0 1.5708 0', '0 1 0'),
    ('wrist2', '0 0.11 0', '0 0 0', '0 0 -1'), ('wrist3', '0 0 0.09', '0 0 0', '0 1 0'))
LINK = ('<link name="{}"><inertial><mass value="1.0"/><inertia ixx="0.02" iyy="0.02" izz="0.02" '
        'ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="{}"/><geometry>'
        '<box size="{}"/></geometry></collision></link>')
LIMIT = '<limit lower="-3.1" upper="3.1" velocity="2.5" effort="100"/>'

SIDECAR = """
model: arm.urdf
joints: [pan, lift, elbow, wrist1, wrist2, wrist3]
home: [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]
acceleration: 5.0
jerk: 100.0
payload: 5.0
gripper:
  joint: left_slide
  open: 0.04
  closed: 0.0
  pads: [left_pad, right_pad]
  force: [5, 50]
  speed: 0.1
"""
# The same arm with a hand of links, from a model of its own.
LINKED = SIDECAR.partition('gripper:')[0] + """
hand: {model: hand.xml, at: wrist3_link, xyz: [0, 0.09, 0], rpy: [-1.5708, 0, 0]}
leave_out: [palm]
gripper: {joint: l_knuckle, open: 0.0, closed: 0.65, pads: [l_pad, r_pad], force: [5, 50],
          speed: 0.1}
"""


def six_joints() -> str:
    """An arm like many with six joints, and a hand with two fingers that slide."""
    parts = ['<robot name="small">', LINK.format('base', '0 0 0.05', '0.15 0.15 0.1')]
    before = 'base'
    for name, place, turn, axis in JOINTS6:
        parts += [LINK.format(f'{name}_link', '0 0 0.03', '0.06 0.06 0.06'),
                  f'<joint name="{name}" type="revolute"><parent link="{before}"/><child '
                  f'link="{name}_link"/><origin xyz="{place}" rpy="{turn}"/><axis xyz="{axis}"/>'
                  f'{LIMIT}</joint>']
        before = f'{name}_link'
    parts += [LINK.format('palm', '0 0 0.04', '0.06 0.18 0.08'),
              f'<joint name="mount" type="fixed"><parent link="{before}"/><child link="palm"/>'
              '<origin xyz="0 0.09 0" rpy="-1.5708 0 0"/></joint>']
    for side, sign in (('left', 1), ('right', -1)):
        mimic = '<mimic joint="left_slide" multiplier="1"/>' if side == 'right' else ''
        parts += [LINK.format(f'{side}_pad', f'0 {sign * 0.005} 0.02', '0.02 0.01 0.04'),
                  f'<joint name="{side}_slide" type="prismatic"><parent link="palm"/><child '
                  f'link="{side}_pad"/><origin xyz="0 0 0.09"/><axis xyz="0 {sign} 0"/><limit '
                  f'lower="0" upper="0.04" velocity="0.1" effort="50"/>{mimic}</joint>']
    return ''.join([*parts, '</robot>'])


BODY = ('<body name="{0}_body" pos="{1}"><joint name="{0}" axis="{2}" range="{3}"/><inertial '
        'pos="0 0 0.05" mass="1.5" diaginertia="0.01 0.01 0.01"/><geom type="capsule" '
        'fromto="0 0 0 0 0 0.1" size="0.04"/>')


def seven_joints() -> str:
    """An arm with seven joints and no hand."""
    chain = [('a1', '0 0 0.2', '0 0 1'), ('a2', '0 0 0.1', '0 1 0'), ('a3', '0 0 0.2', '0 0 1'),
             ('a4', '0.03 0 0.2', '0 1 0'), ('a5', '-0.03 0 0.2', '0 0 1'),
             ('a6', '0 0 0.2', '0 1 0'), ('a7', '0.05 0 0.1', '0 0 1')]
    bodies = ''.join(BODY.format(name, place, axis, '-2.8 2.8' if k % 2 == 0 else '-2 2')
                     for k, (name, place, axis) in enumerate(chain))
    motors = ''.join(f'<motor joint="{name}" ctrlrange="-80 80"/>' for name, *_ in chain)
    return ('<mujoco><compiler angle="radian"/><worldbody><body name="foot"><geom type="box" '
            f'size="0.08 0.08 0.05" pos="0 0 0.05"/>{bodies}<body name="flange" pos="0 0 0.1"/>'
            f'{"</body>" * 8}</worldbody><actuator>{motors}</actuator></mujoco>')


LINKAGE = """<mujoco><compiler angle="radian"/><worldbody><body name="palm">
<geom type="box" size="0.03 0.05 0.03" pos="0 0 0.02"/>
{}{}</body></worldbody><equality><joint joint1="r_knuckle" joint2="l_knuckle"/>
<connect body1="l_finger" body2="l_rod" anchor="0 0.02 0"/>
<connect body1="r_finger" body2="r_rod" anchor="0 -0.02 0"/></equality></mujoco>"""
SIDE = """<body name="{0}_crank" pos="0 {1}0.03 0.05"><joint name="{0}_knuckle" axis="{2}1 0 0"/>
<geom type="capsule" fromto="0 0 0 0 {1}0.03 0.05" size="0.006"/>
<body name="{0}_finger" pos="0 {1}0.03 0.05"><joint name="{0}_tip" axis="1 0 0"/>
<geom name="{0}_pad" type="box" size="0.01 0.002 0.015" pos="0 {3}0.02 0.03"/></body></body>
<body name="{0}_rod" pos="0 {1}0.05 0.05"><joint name="{0}_bar" axis="1 0 0"/>
<geom type="capsule" fromto="0 0 0 0 {1}0.03 0.05" size="0.004"/></body>"""


def linkage() -> str:
    """A hand whose fingers stay upright by a second rod each, and move out as they close."""
    return LINKAGE.format(SIDE.format('l', '', '', '-'), SIDE.format('r', '-', '-', ''))
