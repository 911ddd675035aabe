# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Meshes in scene files: what they become, and the errors of wrong ones."""

from __future__ import annotations

import logging
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec


def obj(*parts: Piece, named: bool = True) -> str:
    """The pieces as an OBJ file."""
    lines, before = [], 1
    for k, part in enumerate(parts):
        lines += [f'o part_{k}'] if named else []
        lines += [f'v {x} {y} {z}' for x, y, z in part.triangles.reshape(-1, 3)]
        lines += [f'f {i}//1 {i + 1}//1 {i + 2}//1'
                  for i in range(before, before + 3 * len(part.triangles), 3)]
        before += 3 * len(part.triangles)
    return '\n'.join(lines)


def stl(triangles: Iterable[np.ndarray]) -> bytes:
    """Triangles as a binary STL file."""
    found = list(triangles)
    return bytes(80) + struct.pack('<I', len(found)) + b''.join(
        struct.pack('<12fH', 0, 0, 0, *t.ravel(), 0) for t in found)


def moved(piece: Piece, *by: float) -> Piece:
    return Piece.around(piece.corners + by)


BAR, POST = box_piece((0.10, 0.02, 0.02)), moved(box_piece((0.02, 0.02, 0.04)), 0.03, 0.0, 0.03)


def load(folder: Path, content: str | bytes, name: str = 'it.obj', **keys: Any) -> ObjectSpec:
    """The object of a scene file with one mesh beside it."""
    data = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(data)
    values = {'name': 'it', 'shape': 'mesh', 'file': name, 'position': [0.5, 0.0], **keys}
    scene = folder / 'mine.yaml'
    scene.write_text('objects:\n  - {' + ', '.join(f'{k}: {v}' for k, v in values.items()) + '}')
    return load_scene(scene, folder).objects[0]


@pytest.mark.parametrize('named', [True, False])
def test_convex_parts_are_pieces_about_the_middle_of_their_box(tmp_path, named) -> None:
    spec = load(tmp_path, obj(BAR, POST, named=named), mass=0.3)
    assert spec.shape is Shape.IRREGULAR and len(spec.pieces) == 2 and spec.mass == 0.3
    assert spec.size == pytest.approx((0.10, 0.02, 0.06))
    corners = np.concatenate([piece.corners for piece in spec.pieces])
    assert corners.min(axis=0) == pytest.approx(-corners.max(axis=0))


def test_an_stl_file_is_cut_into_its_connected_parts(tmp_path) -> None:
    away = moved(BAR, 0.0, 0.1, 0.0)
    spec = load(tmp_path, stl([*BAR.triangles, *away.triangles]), 'it.stl')
    assert [piece.volume for piece in spec.pieces] == pytest.approx([BAR.volume] * 2, rel=1e-4)


def test_scale_and_density_give_size_and_mass(tmp_path) -> None:
    millimetres = Piece.around(BAR.corners * 1000)
    spec = load(tmp_path, obj(millimetres), scale=0.001, density=500)
    assert spec.size == pytest.approx((0.10, 0.02, 0.02))
    assert spec.mass == pytest.approx(500 * BAR.volume)
    stretched = load(tmp_path, obj(BAR), scale=[1, 2, 3])
    assert stretched.size == pytest.approx((0.10, 0.04, 0.06))


@pytest.mark.parametrize('coacd', [None, ModuleType('coacd')], ids=['none', 'a plain folder'])
def test_a_part_that_is_far_from_convex_is_its_hull_with_a_warning(tmp_path, caplog, monkeypatch,
                                                                   coacd) -> None:
    monkeypatch.setitem(sys.modules, 'coacd', coacd)
    ell = [(0, 0), (0.1, 0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.1), (0, 0.1)]
    corners = [(x, y, z) for z in (0, 0.02) for x, y in ell]
    sides = [f'f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}' for i in range(6)]
    # The two ends, cut at the inner corner: its points are 4 and 10.
    ends = ['f 4 3 2 1', 'f 4 1 6 5', 'f 10 7 8 9', 'f 10 11 12 7']
    text = '\n'.join([*(f'v {x} {y} {z}' for x, y, z in corners), *sides, *ends])
    with caplog.at_level(logging.WARNING, 'replan_agent'):
        spec = load(tmp_path, text)
    assert len(spec.pieces) == 1 and 'fills only' in caplog.text and 'it.obj' in caplog.text


def test_a_convex_part_whose_triangles_face_inwards_is_no_cause_for_a_warning(tmp_path,
                                                                              caplog) -> None:
    triangles = BAR.triangles.copy()
    triangles[::2] = triangles[::2, ::-1]
    with caplog.at_level(logging.WARNING, 'replan_agent'):
        spec = load(tmp_path, stl(triangles), 'it.stl')
    assert spec.pieces[0].volume == pytest.approx(BAR.volume, rel=1e-4) and not caplog.text


@pytest.mark.parametrize(('content', 'keys', 'key', 'complaint'), [
    ('', {'file': 'other.obj'}, 'file', 'other.obj: it does not exist'),
    ('', {'file': '.'}, 'file', 'it is not a file'),
    ('', {'file': 'mine.yaml'}, 'file', 'mine.yaml: it is not a mesh'),
    ('hello', {}, 'file', 'no triangles'),
    ('v 0 0 zero', {}, 'file', 'line 1'),
    ('v 0 0 0\nf 1 2 3', {}, 'file', 'corner 3 of 1'),
    (obj(BAR) + '\nf 0 1 2', {}, 'file', "cannot be read: 'f 0 1 2'"),
    (obj(BAR) + '\nf -999 1 2', {}, 'file', "cannot be read: 'f -999 1 2'"),
    ('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3', {}, 'file', 'flat'),
    (obj(BAR).replace('0.05', 'nan'), {}, 'file', 'finite'),
    (obj(BAR), {'scale': 100}, 'scale', 'larger than the table'),
    (obj(BAR), {'scale': 0}, 'scale', 'a number from 1e-06 to 1000, or a list of 3'),
    (obj(BAR), {'scale': [1, 1, -1]}, 'scale', 'list of 3 numbers'),
    (obj(BAR), {'size': 0.1}, 'size', 'absent for shape mesh'),
    (obj(BAR), {'mass': 0.1, 'density': 500}, 'mass', 'absent when density'),
    (obj(BAR), {'scale': 0.05, 'density': 100}, 'density', 'scale'),
    (obj(BAR), {'texture': 'it.obj'}, 'texture', 'not a PNG'),
])  # fmt: skip
def test_a_wrong_mesh_is_named_with_its_key(tmp_path, content, keys, key, complaint) -> None:
    with pytest.raises(ConfigError, match=complaint) as raised:
        load(tmp_path, content, **keys)
    assert f'object 1 (it).{key}' in str(raised.value) and 'mine.yaml' in str(raised.value)


@pytest.mark.parametrize('content', [b'', b'not a mesh', bytes(80) + b'\x05\0\0\0'])
def test_a_broken_stl_file_is_no_mesh(tmp_path, content) -> None:
    with pytest.raises(ConfigError, match='not a mesh'):
        load(tmp_path, content, 'it.stl')


def test_a_cut_off_stl_file_is_named_with_its_length(tmp_path) -> None:
    content = b'solid by a program'.ljust(80) + stl(BAR.triangles)[80:-10]
    with pytest.raises(ConfigError, match='as binary STL with 12 triangles it would have 684'):
        load(tmp_path, content, 'it.stl')


def test_a_mesh_without_a_file_is_refused(tmp_path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('objects:\n  - {name: it, shape: mesh, position: [0.5, 0]}')
    with pytest.raises(ConfigError, match=r'object 1 \(it\).file: it is missing'):
        load_scene(path, tmp_path)


def test_a_file_is_only_for_a_mesh(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r'object 1 \(it\).file: must be given only for'):
        load(tmp_path, obj(BAR), shape='box', size=0.04)
