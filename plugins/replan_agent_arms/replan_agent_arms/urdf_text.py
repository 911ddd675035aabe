# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A URDF as MuJoCo reads one: what is wrong is said, what MuJoCo drops is kept."""

from __future__ import annotations

import math
import os
from pathlib import Path
from xml.etree import ElementTree as ET

from replan_agent.text.choices import meant
from replan_agent.text.file_bytes import exists
from replan_agent.text.shown_text import one_line, shown

from .model_parts import Mimic, ModelText, check_axis, check_file, numbers

READ_MESHES = ('.stl', '.obj', '.msh')
LIMIT = '<limit lower="-3.14" upper="3.14" velocity="2.0" effort="100"/>'
KINDS = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')
MOST_RAD, MOST_KG = 20.0, 300.0  # more are degrees, and grams


def urdf(root: ET.Element, text: ModelText) -> None:
    links = _names(root, 'link', text)
    joints = _names(root, 'joint', text)
    for joint in root.findall('joint'):
        _urdf_joint(joint, links, text)
    for name, mimic in text.mimics.items():
        others = [joint for joint in joints if joint != name]
        if mimic.joint not in others:
            raise text.wrong(f'<joint name="{name}">: <mimic joint="{mimic.joint}">',
                             'is no other joint', f'{meant(mimic.joint, others)}write one of: '
                             f'{one_line(", ".join(others), 200)}')
    _check_tree(root, text)
    turning = {end.get('link') for joint in root.findall('joint') if joint.get('type') != 'fixed'
               for end in joint.findall('child')}
    for link in root.findall('link'):
        _urdf_link(link, link.get('name') in turning, text)
    for extra in ('transmission', 'gazebo', 'mujoco', 'ros2_control', 'sensor'):
        for node in root.findall(extra):
            root.remove(node)
    compiler = ET.SubElement(ET.SubElement(root, 'mujoco'), 'compiler')
    compiler.attrib |= {'fusestatic': 'false', 'strippath': 'false', 'discardvisual': 'false',
                        'balanceinertia': 'true'}


def _names(root: ET.Element, tag: str, text: ModelText) -> list[str]:
    """The names of these elements. Raises ConfigError if one has none, or that of another."""
    names: list[str] = []
    for number, node in enumerate(root.findall(tag), 1):
        name = node.get('name', '')
        if not name:
            raise text.wrong(f'<{tag}> number {number}', 'has no name',
                             f'write <{tag} name="{tag}{number}" ...>')
        if name in names:
            raise text.wrong(f'<{tag} name="{name}">', 'is there twice',
                             'give each of them a name of its own')
        names.append(name)
    return names


def _check_tree(root: ET.Element, text: ModelText) -> None:
    """Raise ConfigError unless each link is carried by one joint, and none by itself."""
    carried: dict[str, tuple[str, str]] = {}
    for joint in root.findall('joint'):
        parent, child = (joint.find(end).get('link', '')  # type: ignore[union-attr]
                         for end in ('parent', 'child'))
        if child in carried:
            raise text.wrong(f'<joint name="{joint.get("name")}">', f'has the child {child}, '
                             f'which <joint name="{carried[child][0]}"> has too',
                             'write a link of its own for each')
        carried[child] = joint.get('name', ''), parent
    for link in carried:
        above, seen = link, {link}
        while above in carried:
            joint_name, above = carried[above]
            if above in seen:
                raise text.wrong(f'<joint name="{joint_name}">', f'closes a loop: {link} carries '
                                 'itself', 'write <parent link="..."/> with a link nearer to the '
                                 'base')
            seen.add(above)


def _urdf_joint(joint: ET.Element, links: list[str], text: ModelText) -> None:
    name = joint.get('name', '')
    called = f'<joint name="{name}">'
    for end in ('parent', 'child'):
        node = joint.find(end)
        link = '' if node is None else node.get('link', '')
        if link not in links:
            raise text.wrong(called, f'has the {end} {shown(link)}, which no <link> is',
                             f'{meant(link, links)}write <{end} link="..."/> with one of: '
                             f'{one_line(", ".join(links), 200)}')
    kind = joint.get('type', '')
    if kind not in KINDS:
        raise text.wrong(called, f'has the type {shown(kind)}', f'{meant(kind, KINDS)}write '
                         'type="revolute" for a joint that turns')
    if kind in ('fixed', 'floating', 'planar'):
        return
    axis = joint.find('axis')
    if axis is None:
        text.note(f'{called} has no <axis>; it is x, as URDF says')
    else:
        check_axis(numbers(axis.get('xyz', '1 0 0'), 3), called, '<axis xyz="0 0 1"/>', text)
    limit = joint.find('limit')
    if limit is None:
        if kind != 'continuous':
            raise text.wrong(called, 'has no <limit>', f'write {LIMIT}')
        limit = ET.Element('limit')
    if kind == 'continuous':  # it has no ends
        limit.attrib = {key: limit.attrib[key] for key in ('velocity', 'effort')
                        if key in limit.attrib}
    said = {key: numbers(limit.get(key, '0'), 1)
            for key in ('lower', 'upper', 'velocity', 'effort')}
    for key, value in said.items():
        if not value:
            raise text.wrong(f'{called}: <limit {key}="{one_line(limit.get(key), 40)}">',
                             'is not a finite number', f'write {LIMIT}')
    for key, found in (('velocity', text.velocity), ('effort', text.effort)):
        if said[key][0] > 0:
            found[name] = said[key][0]
    (lower,), (upper,) = said['lower'], said['upper']
    if kind != 'continuous' and lower >= upper:
        raise text.wrong(called, f'has limits from {lower:g} to {upper:g}', (
            f'write <limit lower="{upper:g}" upper="{lower:g}" .../>: the lower one is less'
            if lower > upper else f'write the range that it has, for example {LIMIT}, or type='
            '"fixed" if it does not move'))
    if kind == 'revolute' and upper - lower > MOST_RAD:
        raise text.wrong(called, f'has limits from {lower:g} to {upper:g}, as if they were in '
                         'degrees', f'write radians: upper="{math.radians(upper):.4g}"')
    mimic = joint.find('mimic')
    if mimic is not None:
        factor, offset = (numbers(mimic.get(key, default), 1) for key, default in
                          (('multiplier', '1'), ('offset', '0')))
        if not mimic.get('joint') or not factor or not offset:
            raise text.wrong(called, 'has a <mimic> that cannot be read',
                             'write <mimic joint="finger_joint" multiplier="1" offset="0"/>')
        text.mimics[name] = Mimic(mimic.get('joint', ''), factor[0], offset[0])
        joint.remove(mimic)


def _urdf_link(link: ET.Element, moves: bool, text: ModelText) -> None:
    called = f'<link name="{link.get("name")}">'
    inertial = link.find('inertial')
    solid = link.find('collision') is not None or link.find('visual') is not None
    if moves and solid:
        _check_inertia(inertial, called, text)
    elif inertial is not None and _mass(inertial) <= 0:
        link.remove(inertial)
    for kind in ('collision', 'visual'):
        for shape in link.findall(kind):
            _urdf_shape(link, shape, kind, called, text)


def _urdf_shape(link: ET.Element, shape: ET.Element, kind: str, called: str,
                text: ModelText) -> None:
    """Find the mesh of a shape; a visual one that MuJoCo does not read is left out."""
    mesh = shape.find('geometry/mesh')
    if mesh is None:
        return
    name = mesh.get('filename', '')
    readable = Path(name).suffix.lower() in READ_MESHES
    if kind == 'visual' and not readable:
        link.remove(shape)
        return
    if not readable:
        raise text.wrong(f'{called}: <mesh filename="{name}">', 'is of a kind that is not read',
                         f'write a file of one of these kinds: {", ".join(READ_MESHES)}')
    path = _mesh_path(name, text.path)
    if path is None:
        raise text.wrong(f'{called}: <mesh filename="{name}">', 'does not exist', 'write its path '
                         "from this file's folder, or put the folder of that package above it")
    check_file(path, f'{called}: <mesh filename="{name}">', text)
    mesh.set('filename', str(path))


def _mesh_path(name: str, model: Path) -> Path | None:
    """The file that a URDF names: package://NAME/path is in the folders above, or in ROS."""
    if name.startswith(('package://', 'model://')):
        package, _, rest = name.partition('://')[2].partition('/')
        places = [place for folder in model.parents for place in
                  (folder / package / rest, *([folder / rest] if folder.name == package else ()))]
        places += [Path(prefix, 'share', package, rest) for prefix in
                   os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if prefix]
    else:
        places = [model.parent / name.removeprefix('file://')]
    return next((place.resolve() for place in places if exists(place)), None)


def _check_inertia(inertial: ET.Element | None, called: str, text: ModelText) -> None:
    example = ('write <inertial><mass value="2.0"/><inertia ixx="0.01" iyy="0.01" izz="0.01" '
               'ixy="0" ixz="0" iyz="0"/></inertial>')
    if inertial is None:
        raise text.wrong(called, 'moves and has no <inertial>', example)
    mass = _mass(inertial)
    if mass <= 0:
        raise text.wrong(called, 'moves and has no mass above 0', example)
    if mass > MOST_KG:
        raise text.wrong(called, f'has a mass of {mass:g} kg, as if it were in grams',
                         f'write kg: <mass value="{mass / 1000:g}"/>')
    tensor = inertial.find('inertia')
    diagonal = [numbers('' if tensor is None else tensor.get(key, ''), 1)
                for key in ('ixx', 'iyy', 'izz')]
    if not all(value and value[0] > 0 for value in diagonal):
        raise text.wrong(called, 'has an <inertia> that is not above 0', example)
    small, middle, large = sorted(value[0] for value in diagonal)
    if large > 1.01 * (small + middle):
        text.note(f'{called} has an <inertia> that no body has: {large:g} is more than {small:g} '
                  f'and {middle:g} together; a possible one is used')


def _mass(inertial: ET.Element) -> float:
    mass = inertial.find('mass')
    return (numbers('' if mass is None else mass.get('value', ''), 1) or [0.0])[0]


