# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An MJCF as MuJoCo compiles it alone: files found, what it refuses repaired and told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from replan_agent.text.file_bytes import exists
from replan_agent.text.shown_text import one_line, shown

from .model_parts import ModelText, check_axis, check_file, numbers

FOLDERS = ('meshdir', 'texturedir', 'assetdir')
FILES = ('mesh', 'hfield', 'skin')
Attributes = dict[str, str]
MOST_RAD = 20.0  # more are degrees
INERTIAL = 'write <inertial pos="0 0 0" mass="2.0" diaginertia="0.01 0.01 0.01"/>'


def mjcf(root: ET.Element, text: ModelText) -> None:
    joints = _with_defaults(root, 'joint')
    _say_unit(root, joints, text)
    _leave_out_seen(root)
    _assets(root, text)
    for default in root.iter('default'):
        for key in [key for key in default.attrib if key != 'class']:
            text.note(f'<default class="{default.get("class", "")}"> has an attribute '
                      f'{shown(key)}, which MuJoCo does not know; it is left out')
            del default.attrib[key]
    for extra in ('sensor', 'keyframe', 'option', 'visual', 'size', 'statistic'):
        for node in root.findall(extra):
            root.remove(node)
    limited = _limited(root)
    radians = any(node.get('angle') == 'radian' for node in root.iter('compiler'))
    world = root.find('worldbody')
    _check_names(world, text)
    for body in () if world is None else world.iter('body'):
        _check_body(body, text)
        for joint in body.findall('joint'):
            _mjcf_joint(joints[joint], limited, radians, text)
        solid = body.find('geom') is not None
        if body.find('joint') is not None and body.find('inertial') is None and not solid:
            raise text.wrong(f'<body name="{body.get("name")}">', 'moves and has no <inertial>',
                             INERTIAL)


def _check_names(world: ET.Element | None, text: ModelText) -> None:
    for tag in ('body', 'joint'):
        taken: set[str] = set()
        for node in () if world is None else world.iter(tag):
            name = node.get('name', '')
            if name and name in taken:
                raise text.wrong(f'<{tag} name="{name}">', 'is there twice',
                                 'give each of them a name of its own')
            taken.add(name)


def _check_body(body: ET.Element, text: ModelText) -> None:
    called = f'<body name="{body.get("name")}">'
    if body.find('freejoint') is not None or body.find('joint[@type="free"]') is not None:
        raise text.wrong(called, 'floats freely', 'take its free joint out: the arm stands on the '
                         'table')
    inertial = body.find('inertial')
    if inertial is not None and body.find('joint') is not None:
        mass = numbers(inertial.get('mass', ''), 1)
        moments = numbers(inertial.get('diaginertia', '1 1 1'), 3)
        if not mass or mass[0] <= 0 or not moments or min(moments) <= 0:
            raise text.wrong(called, 'moves and has no mass and inertia above 0', INERTIAL)


def _with_defaults(root: ET.Element, tag: str) -> dict[ET.Element, Attributes]:
    """The attributes of each such element of the world, with those that its class gives it."""
    classes: dict[str, Attributes] = {}
    found: dict[ET.Element, Attributes] = {}

    def read(default: ET.Element, above: Attributes) -> None:
        name = default.get('class', 'main')
        given = {**above, **classes.get(name, {})}
        for node in default.findall(tag):
            given.update(node.attrib)
        classes[name] = given
        for child in default.findall('default'):
            read(child, given)

    def look(parent: ET.Element, used: str) -> None:
        used = parent.get('childclass', used)
        for node in parent:
            if node.tag == tag:
                found[node] = {**classes.get(node.get('class', used), {}), **node.attrib}
            look(node, used)

    for default in root.findall('default'):
        read(default, {})
    for world in root.findall('worldbody'):
        look(world, 'main')
    return found


def _say_unit(root: ET.Element, joints: Mapping[ET.Element, Attributes], text: ModelText) -> None:
    """A model that does not say its unit of angles has radians, if no joint turns farther.

    MuJoCo takes degrees then, also for what is turned by angles: these must fit, too.
    """
    hinges = [joint for joint in joints.values() if joint.get('type', 'hinge') == 'hinge']
    bounds = [bound for joint in hinges for bound in numbers(joint.get('range', ''), 2)]
    if any(node.get('angle') for node in root.iter('compiler')) or not any(bounds) or max(
            map(abs, bounds)) > math.tau:
        return
    turns = [(f'{key}="{joint[key]}"', joint[key].split()) for joint in hinges
             for key in ('ref', 'springref') if key in joint]
    turns += [(f'<{node.tag} {key}="{one_line(node.attrib[key], 60)}">',
               node.attrib[key].split()[first:]) for node in root.iter()
              for key, first in (('euler', 0), ('axisangle', 3)) if key in node.attrib]
    for called, words in turns:
        if any(abs(angle) > math.tau for word in words for angle in numbers(word, 1)):
            raise text.wrong(
                called, 'seems to be in degrees, and the ranges of the joints in radians, up to '
                f'{max(map(abs, bounds)):g}', 'write <compiler angle="degree"/> or '
                '<compiler angle="radian"/>, and all angles in that unit')
    ET.SubElement(root, 'compiler').set('angle', 'radian')
    text.note('its ranges seem to be in radians; write <compiler angle="radian"/>')


def _leave_out_seen(root: ET.Element) -> None:
    """Take away what is only seen, where something can be touched too, and its meshes."""
    geoms_of = _with_defaults(root, 'geom')
    for body in list(root.iter('body')):
        geoms = body.findall('geom')
        seen = [geom for geom in geoms if _is_untouchable(geoms_of.get(geom, geom.attrib))]
        for geom in seen if len(seen) < len(geoms) else ():
            body.remove(geom)
    used = {node.get('mesh') for node in root.iter('geom')}
    for assets in root.findall('asset'):
        for mesh in assets.findall('mesh'):
            if (mesh.get('name') or Path(mesh.get('file', '')).stem) not in used:
                assets.remove(mesh)


def _is_untouchable(geom: Mapping[str, str]) -> bool:
    return geom.get('contype') == geom.get('conaffinity') == '0'


def _assets(root: ET.Element, text: ModelText) -> None:
    """Whole paths for files; of two with one name the first counts. Textures are left out."""
    compiler = {key: value for node in root.iter('compiler') for key, value in node.attrib.items()}
    for node in root.iter('compiler'):
        for key in FOLDERS:
            node.attrib.pop(key, None)
    folder = text.path.parent / compiler.get('meshdir', compiler.get('assetdir', ''))
    taken: set[tuple[str, str]] = set()
    for assets in root.findall('asset'):
        for node in list(assets):
            if node.tag == 'texture':
                assets.remove(node)
            elif node.tag == 'material':
                node.attrib.pop('texture', None)
                for layer in node.findall('layer'):
                    node.remove(layer)
            elif node.tag in FILES and node.get('file'):
                name = node.get('name') or Path(node.get('file', '')).stem
                if (node.tag, name) in taken:
                    text.note(f'<{node.tag} name="{name}"> is there twice; the first one counts')
                    assets.remove(node)
                    continue
                taken.add((node.tag, name))
                node.set('name', name)
    for node in root.iter():
        if node.get('file'):
            _asset_file(node, text.path.parent if node.tag == 'model' else folder, text)


def _asset_file(node: ET.Element, folder: Path, text: ModelText) -> None:
    file = node.get('file', '')
    path = folder / file
    if not exists(path):
        raise text.wrong(f'<{node.tag} file="{file}">', 'does not exist',
                         f'write its path from {folder}')
    check_file(path, f'<{node.tag} file="{file}">', text)
    node.set('file', str(path.resolve()))


def _limited(root: ET.Element) -> bool:
    """Whether a range alone limits a joint."""
    return all(node.get('autolimits') != 'false' for node in root.iter('compiler'))


def _mjcf_joint(joint: Attributes, limited: bool, radians: bool, text: ModelText) -> None:
    called = f'<joint name="{joint.get("name")}">'
    check_axis(numbers(joint.get('axis', '0 0 1'), 3), called, 'axis="0 0 1"', text)
    bounds = numbers(joint.get('range', ''), 2)
    asked = joint.get('limited', 'auto')
    if bounds and asked != 'false' and (limited or asked == 'true') and bounds[0] >= bounds[1]:
        raise text.wrong(called, f'has limits from {bounds[0]:g} to {bounds[1]:g}', (
            f'write range="{bounds[1]:g} {bounds[0]:g}": the lower one first'
            if bounds[0] > bounds[1] else 'write the range that it has, or take the joint out if '
            'it does not move'))
    if bounds and radians and joint.get('type', 'hinge') == 'hinge' and max(
            map(abs, bounds)) > MOST_RAD:
        raise text.wrong(called, f'has limits from {bounds[0]:g} to {bounds[1]:g} rad, as if they '
                         'were in degrees', 'write radians, or <compiler angle="degree"/>')
