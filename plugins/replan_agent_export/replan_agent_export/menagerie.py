# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The official meshes as the arm's look, if the user has a mujoco_menagerie checkout.

Only the look changes. Collision, inertia and kinematics stay ours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.robot.mujoco.mjcf.mjcf_xml import VISUAL_GROUP, node

VARIABLE = 'REPLAN_AGENT_MENAGERIE'
PANDA_FILE = 'franka_emika_panda/panda.xml'  # the hand of both arms is in it
ARM_FILES = {'panda': PANDA_FILE, 'fr3': 'franka_fr3/fr3.xml'}
_PART = re.compile(r'(link\d|hand|left_finger)$')
_COPIED = ('pos', 'quat')


@dataclass
class _Model:
    """The content of one of their XML files: materials, mesh files, and the geoms of each part."""

    materials: dict[str, str] = field(default_factory=dict)  # name: rgba
    meshes: dict[str, Path] = field(default_factory=dict)
    parts: dict[str, list[dict[str, str]]] = field(default_factory=dict)


def menagerie_looks(arm: ArmModel, environ: Mapping[str, str] = os.environ,
                    ) -> MenagerieLooks | None:
    """The menagerie's meshes if the environment names a checkout and it has the arm, else None."""
    root = environ.get(VARIABLE, '').strip()
    file = ARM_FILES.get(arm.name)
    return MenagerieLooks(Path(root), file) if root and file else None


class MenagerieLooks:
    """Visual meshes of a checkout. Raises ConfigError if it is not one."""

    def __init__(self, root: Path, arm_file: str) -> None:
        if not root.is_dir():
            raise ConfigError(f'{VARIABLE}: {root} is not a directory; give the path of a '
                              f'mujoco_menagerie checkout or unset it')
        self._models = {'arm': _read(root / arm_file)}
        self._models['hand'] = (self._models['arm'] if arm_file == PANDA_FILE
                                else _read(root / PANDA_FILE))

    def add_assets(self, root: ET.Element) -> None:
        asset = node(root, 'asset')
        for owner, model in self._models.items():
            for name, rgba in model.materials.items():
                node(asset, 'material', name=f'{owner}_{name}', rgba=rgba, specular=0.5,
                     shininess=0.25)
            shown = {geom['mesh'] for part in model.parts.values() for geom in part}
            for mesh in sorted(shown):
                node(asset, 'mesh', name=f'{owner}_{mesh}', file=str(model.meshes[mesh]))

    def add_part(self, body: ET.Element, part: str) -> None:
        owner = 'arm' if part.startswith('link') else 'hand'
        for geom in self._models[owner].parts.get(part, []):
            placed = {key: geom[key] for key in _COPIED if key in geom}
            material = {'material': f'{owner}_{geom["material"]}'} if 'material' in geom else {}
            node(body, 'geom', type='mesh', mesh=f'{owner}_{geom["mesh"]}', group=VISUAL_GROUP,
                 contype=0, conaffinity=0, mass=0, **material, **placed)


def _read(path: Path) -> _Model:
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise ConfigError(f'{VARIABLE}: cannot read {path} ({error}); give the path of a '
                          f'mujoco_menagerie checkout or unset it') from error
    compiler = root.find('compiler')
    folder = path.parent / (compiler.get('meshdir', '') if compiler is not None else '')
    model = _Model()
    for material in root.iterfind('asset/material'):
        model.materials[material.get('name', '')] = material.get('rgba', '1 1 1 1')
    for mesh in root.iterfind('asset/mesh'):
        file = mesh.get('file', '')
        model.meshes[mesh.get('name', Path(file).stem)] = folder / file
    for body in root.iter('body'):
        match = _PART.search(body.get('name', ''))
        if match:
            part = 'finger' if match[1] == 'left_finger' else match[1]
            model.parts[part] = [dict(geom.attrib) for geom in body.iterfind('geom')
                                 if geom.get('class') == 'visual' and geom.get('mesh')]
    _check_meshes(model, path)
    return model


def _check_meshes(model: _Model, path: Path) -> None:
    for part, geoms in model.parts.items():
        for geom in geoms:
            file = model.meshes.get(geom['mesh'])
            if file is None or not file.is_file():
                raise ConfigError(f'{VARIABLE}: {path} shows mesh {geom["mesh"]!r} on {part}, '
                                  f'but {file or "no asset"} is missing; update the checkout')
    if not any(model.parts.values()):
        raise ConfigError(f'{VARIABLE}: {path} has no visual meshes; is it a mujoco_menagerie '
                          f'checkout?')
