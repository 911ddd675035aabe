"""A URDF or MJCF as text that MuJoCo compiles: what is wrong is said, what can be is repaired."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from replan_agent.text.choices import meant
from replan_agent.text.file_bytes import exists, file_bytes, opened
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import one_line, shown

LONGEST_FILE, LONGEST_MESH = 20_000_000, 50_000_000  # bytes
DEEPEST = 100  # elements in one another
READ_MESHES = ('.stl', '.obj', '.msh')
FOLDERS = ('meshdir', 'texturedir', 'assetdir')
FILES = ('mesh', 'hfield', 'skin')
FAR_M = 3.0  # no link of an arm is longer
TURNING = ('revolute', 'continuous')
LIMIT = '<limit lower="-3.14" upper="3.14" velocity="2.0" effort="100"/>'
NUMBERS = frozenset((
    'xyz rpy size radius length scale value ixx iyy izz ixy ixz iyz pos quat euler axisangle '
    'xyaxes zaxis fromto axis range mass density diaginertia fullinertia ref springref gear '
    'ctrlrange forcerange actuatorfrcrange anchor relpose polycoef vertex').split())


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: its position is factor * other + offset."""

    joint: str
    factor: float
    offset: float


@dataclass
class ModelText:
    """What MuJoCo is given, and what only the file says. `notes` are repairs, for people."""

    path: Path
    xml: str = ''
    notes: list[str] = field(default_factory=list)
    velocity: dict[str, float] = field(default_factory=dict)
    effort: dict[str, float] = field(default_factory=dict)
    mimics: dict[str, Mimic] = field(default_factory=dict)

    def note(self, what: str) -> None:
        self.notes.append(f'{self.path.name}: {what}')

    def wrong(self, element: str, what: str, write: str) -> ConfigError:
        """One sentence: the file, the element, what is wrong with it and what to write."""
        return ConfigError(f'{self.path}: {element} {what}; {write}')


def model_text(path: Path) -> ModelText:
    """The file as MuJoCo can read it. Raises ConfigError for what cannot be repaired."""
    text = ModelText(path)
    root = _parsed(path)
    if root.tag == 'robot':
        _urdf(root, text)
    elif root.tag == 'mujoco':
        _mjcf(_included(root, path), text)
    else:
        raise text.wrong(f'<{one_line(root.tag, 40)}>', 'is no model of an arm',
                         'give a URDF, whose first element is <robot>, or an MJCF, <mujoco>')
    _check_finite(root, text)
    text.xml = ET.tostring(root, encoding='unicode')
    return text


def _parsed(path: Path) -> ET.Element:
    data = file_bytes(path, LONGEST_FILE)
    if path.suffix == '.xacro' or b'xmlns:xacro' in data and b'<xacro:' in data:
        raise ConfigError(f'{path}: it is a xacro file; make a URDF of it: xacro {path.name} > '
                          f'{path.stem.removesuffix(".urdf")}.urdf')
    try:
        _check_markup(data, path)
        return ET.fromstring(data)
    except ConfigError:
        raise
    except (ET.ParseError, expat.ExpatError) as error:
        raise ConfigError(f'{path}: not valid XML: {one_line(error, 200)}') from error
    except (LookupError, ValueError) as error:
        raise ConfigError(f'{path}: <?xml encoding="..."?> cannot be read: '
                          f'{one_line(error, 200)}; write encoding="utf-8"') from error


def _check_markup(data: bytes, path: Path) -> None:
    """Raise ConfigError for entities, whatever the encoding, and for very deep nesting."""
    depth = 0

    def entity(*_: Any) -> NoReturn:
        raise ConfigError(f'{path}: <!ENTITY> is not read; write the texts in full')

    def start(tag: str, _: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise ConfigError(f'{path}: <{one_line(tag, 40)}> is in {DEEPEST} other elements; '
                              'write a model that is nested less')

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.EntityDeclHandler, parser.StartElementHandler = entity, start
    parser.EndElementHandler = end
    parser.Parse(data, True)


# --- URDF


def _urdf(root: ET.Element, text: ModelText) -> None:
    links = [link.get('name', '') for link in root.iter('link')]
    for joint in root.findall('joint'):
        _urdf_joint(joint, links, text)
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
    if kind in ('fixed', 'floating', 'planar'):
        return
    axis = joint.find('axis')
    if axis is not None:
        _check_axis(_numbers(axis.get('xyz', '1 0 0'), 3), called, '<axis xyz="0 0 1"/>', text)
    limit = joint.find('limit')
    if limit is None:
        if kind != 'continuous':
            raise text.wrong(called, 'has no <limit>', f'write {LIMIT}')
        limit = ET.Element('limit')
    if kind == 'continuous':  # it has no ends
        limit.attrib = {key: limit.attrib[key] for key in ('velocity', 'effort')
                        if key in limit.attrib}
    said = {key: _numbers(limit.get(key, '0'), 1)
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
        raise text.wrong(called, f'has limits from {lower:g} to {upper:g}',
                         f'write <limit lower="{min(lower, upper):g}" '
                         f'upper="{max(lower, upper):g}" .../>: the lower one is less')
    mimic = joint.find('mimic')
    if mimic is not None:
        factor, offset = (_numbers(mimic.get(key, default), 1) for key, default in
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
    _check_file(path, f'{called}: <mesh filename="{name}">', text)
    mesh.set('filename', str(path))


def _mesh_path(name: str, model: Path) -> Path | None:
    """The file that a URDF names: package://NAME/path is looked for in the folders above."""
    if name.startswith(('package://', 'model://')):
        package, _, rest = name.partition('://')[2].partition('/')
        places = [place for folder in model.parents for place in
                  (folder / package / rest, *([folder / rest] if folder.name == package else ()))]
    else:
        places = [model.parent / name.removeprefix('file://')]
    return next((place.resolve() for place in places if exists(place)), None)


def _check_inertia(inertial: ET.Element | None, called: str, text: ModelText) -> None:
    example = ('write <inertial><mass value="2.0"/><inertia ixx="0.01" iyy="0.01" izz="0.01" '
               'ixy="0" ixz="0" iyz="0"/></inertial>')
    if inertial is None:
        raise text.wrong(called, 'moves and has no <inertial>', example)
    if _mass(inertial) <= 0:
        raise text.wrong(called, 'moves and has no mass above 0', example)
    tensor = inertial.find('inertia')
    diagonal = [_numbers('' if tensor is None else tensor.get(key, ''), 1)
                for key in ('ixx', 'iyy', 'izz')]
    if not all(value and value[0] > 0 for value in diagonal):
        raise text.wrong(called, 'has an <inertia> that is not above 0', example)


def _mass(inertial: ET.Element) -> float:
    mass = inertial.find('mass')
    return (_numbers('' if mass is None else mass.get('value', ''), 1) or [0.0])[0]


# --- MJCF


def _included(root: ET.Element, path: Path, depth: int = 0) -> ET.Element:
    """The same with the contents of <include file="..."/> in place of it."""
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != 'include':
                continue
            file = path.parent / child.get('file', '')
            if depth > 5 or not exists(file):
                raise ConfigError(f'{path}: <include file="{child.get("file")}"> does not exist; '
                                  "write its path from this file's folder")
            parent.remove(child)
            parent[place:place] = list(_included(_parsed(file), path, depth + 1))
    return root


def _mjcf(root: ET.Element, text: ModelText) -> None:
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
    world = root.find('worldbody')
    for body in () if world is None else world.iter('body'):
        for joint in body.findall('joint'):
            _mjcf_joint(joint, limited, text)
        solid = body.find('geom') is not None
        if body.find('joint') is not None and body.find('inertial') is None and not solid:
            raise text.wrong(f'<body name="{body.get("name")}">', 'moves and has no <inertial>',
                             'write <inertial pos="0 0 0" mass="2.0" diaginertia="0.01 0.01 '
                             '0.01"/>')


def _leave_out_seen(root: ET.Element) -> None:
    """Take away what is only seen, where something can be touched too, and its meshes."""
    classes = {node.get('class', ''): dict(geom.attrib) for node in root.iter('default')
               for geom in node.findall('geom')}
    for body in list(root.iter('body')):
        geoms = body.findall('geom')
        seen = [geom for geom in geoms if _is_untouchable(classes.get(geom.get('class', ''), {})
                                                          | geom.attrib)]
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
    _check_file(path, f'<{node.tag} file="{file}">', text)
    node.set('file', str(path.resolve()))


def _limited(root: ET.Element) -> bool:
    """Whether a range alone limits a joint."""
    return all(node.get('autolimits') != 'false' for node in root.iter('compiler'))


def _mjcf_joint(joint: ET.Element, limited: bool, text: ModelText) -> None:
    called = f'<joint name="{joint.get("name")}">'
    _check_axis(_numbers(joint.get('axis', '0 0 1'), 3), called, 'axis="0 0 1"', text)
    bounds = _numbers(joint.get('range', ''), 2)
    asked = joint.get('limited', 'auto')
    if bounds and asked != 'false' and (limited or asked == 'true') and bounds[0] >= bounds[1]:
        raise text.wrong(called, f'has limits from {bounds[0]:g} to {bounds[1]:g}',
                         f'write range="{min(bounds):g} {max(bounds):g}": the lower one first')


# --- both


def _check_file(path: Path, called: str, text: ModelText) -> None:
    """Raise ConfigError for what MuJoCo would read without an end, or for very long."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
    except ConfigError as error:
        raise text.wrong(called, f'cannot be used: {error}', 'write the path of a file') from error
    if size > LONGEST_MESH:
        raise text.wrong(called, f'has {size / 1e6:.0f} MB', 'write a file of at most '
                         f'{LONGEST_MESH / 1e6:g} MB, with fewer triangles')


def _check_finite(root: ET.Element, text: ModelText) -> None:
    parents = {child: node for node in root.iter() for child in node}
    for node in root.iter():
        for key in NUMBERS & node.attrib.keys():
            words = node.attrib[key].split()
            finite = [bool(_numbers(word, 1)) for word in words]
            if all(finite) or not all(map(_is_number, words)):  # MuJoCo tells of other texts
                continue
            owner: ET.Element | None = node
            while owner is not None and not owner.get('name'):
                owner = parents.get(owner)
            of = '' if owner in (node, None) else f'<{owner.tag} name="{owner.get("name")}">: '
            right = ' '.join(word if good else '0.1' for word, good in zip(words, finite))
            raise text.wrong(f'{of}<{node.tag} {key}="{one_line(node.attrib[key], 60)}">',
                             'has a number that is not finite',
                             f'write numbers, for example {key}="{one_line(right, 60)}"')


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _check_axis(axis: list[float], called: str, example: str, text: ModelText) -> None:
    if not axis or math.hypot(*axis) < 1e-6:
        raise text.wrong(called, 'has an axis without a direction', f'write {example}')


def _numbers(text: str, count: int) -> list[float]:
    """So many finite numbers; none if the text is something else."""
    try:
        found = [float(word) for word in text.split()]
    except ValueError:
        return []
    return found if len(found) == count and all(map(math.isfinite, found)) else []
