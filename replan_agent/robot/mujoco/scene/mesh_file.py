# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mesh files (OBJ, STL) as triangles, one array for each object in the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from replan_agent.domain.pose import FloatArray

SUFFIXES = ('.obj', '.stl')
_STL_HEADER, _STL_TRIANGLE = 84, 50  # bytes


class MeshError(ValueError):
    """The file cannot be used as a mesh. The sentence does not name the file."""


def read_mesh(path: Path) -> list[FloatArray]:
    """The triangles (n, 3 corners, 3) of each object in the file, in the file's unit.

    An STL file is one object. Raises MeshError.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise MeshError(f'it is not a mesh: its name must end in {" or ".join(SUFFIXES)}')
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MeshError(f'it cannot be read: {error.strerror}') from error
    parts = _obj(content) if path.suffix.lower() == '.obj' else [_stl(content)]
    parts = [part for part in parts if len(part)]
    if not parts:
        raise MeshError('it is not a mesh: it has no triangles')
    if not all(np.all(np.isfinite(part)) for part in parts):
        raise MeshError('it has a corner that is not a finite number')
    return parts


def _obj(content: bytes) -> list[FloatArray]:
    """Objects (`o`) and groups (`g`) are parts. Textures, normals and materials are not read."""
    points: list[list[float]] = []
    faces: list[list[tuple[int, int, int]]] = [[]]
    for number, line in enumerate(content.decode('utf-8', 'replace').splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ['v']:
                points.append([float(word) for word in words[1:4]])
            elif words[:1] == ['f']:
                corners = [_corner(word, len(points)) for word in words[1:]]
                faces[-1] += [(corners[0], b, c) for b, c in zip(corners[1:], corners[2:])]
            elif words[:1] in (['o'], ['g']):
                faces.append([])
        except ValueError as error:
            raise MeshError(f'line {number} cannot be read: {line.strip()[:60]!r}') from error
    if any(len(point) != 3 for point in points):
        raise MeshError('it has a corner (v) without x, y and z')
    used = [corner for part in faces for face in part for corner in face]
    if used and max(used) >= len(points):
        raise MeshError(f'a face (f) names corner {max(used) + 1} of {len(points)}')
    corners_ = np.array(points, dtype=float).reshape(-1, 3)
    return [corners_[np.array(part, dtype=int).reshape(-1, 3)] for part in faces]


def _corner(word: str, known: int) -> int:
    """The index of a face's corner: from 1 on, or backwards from the last one with a minus."""
    index = int(word.split('/')[0])
    if index == 0 or index < -known:
        raise ValueError(f'there is no corner {index}')
    return index - 1 if index > 0 else known + index


def _stl(content: bytes) -> FloatArray:
    count = int.from_bytes(content[80:_STL_HEADER], 'little')
    if len(content) >= _STL_HEADER and len(content) == _STL_HEADER + count * _STL_TRIANGLE:
        layout = np.dtype([('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('rest', '<u2')])
        return np.frombuffer(content, layout, offset=_STL_HEADER)['corners'].astype(float)
    words = content.decode('ascii', 'replace').split()
    if words[:1] != ['solid']:
        raise MeshError('it is not a mesh: neither text nor binary STL')
    if 'vertex' not in words and 'endsolid' not in words and len(content) >= _STL_HEADER:
        raise MeshError(f'it is not a mesh: as binary STL with {count} triangles it would have '
                        f'{_STL_HEADER + count * _STL_TRIANGLE} bytes, not {len(content)}')
    try:
        corners = [[float(v) for v in words[i + 1:i + 4]]
                   for i, word in enumerate(words) if word == 'vertex']
        return np.array(corners, dtype=float).reshape(-1, 3, 3)
    except ValueError as error:
        raise MeshError('it is not a mesh: a vertex cannot be read') from error
