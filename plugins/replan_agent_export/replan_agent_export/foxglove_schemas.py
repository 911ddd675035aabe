# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas of the messages in an MCAP file: Foxglove's well-known types, and our own.

Foxglove knows a type by its name. Only the fields that we write are described.
"""

from __future__ import annotations

from typing import Any

_UNIT = {'type': 'integer', 'minimum': 0}
_BASIC: dict[str, dict[str, Any]] = {
    'text': {'type': 'string'},
    'number': {'type': 'number'},
    'integer': {'type': 'integer'},
    'flag': {'type': 'boolean'},
    'bytes': {'type': 'string', 'contentEncoding': 'base64'},
    'any': {'type': 'object'},
    'time': {'type': 'object', 'title': 'time', 'properties': {'sec': _UNIT, 'nsec': _UNIT}},
    'duration': {'type': 'object', 'title': 'duration',
                 'properties': {'sec': {'type': 'integer'}, 'nsec': _UNIT}},
}
_XYZ = dict.fromkeys('xyz', 'number')
_STAMPED = {'timestamp': 'time', 'frame_id': 'text'}
_BODY = {'pose': 'Pose', 'size': 'Vector3', 'color': 'Color'}

# Each type with its fields. 'X[]' is a list of X.
TYPES: dict[str, dict[str, str]] = {
    'Vector3': _XYZ,
    'Point3': _XYZ,
    'Quaternion': dict.fromkeys('xyzw', 'number'),
    'Color': dict.fromkeys('rgba', 'number'),
    'Pose': {'position': 'Vector3', 'orientation': 'Quaternion'},
    'CompressedImage': {**_STAMPED, 'data': 'bytes', 'format': 'text'},
    'CameraCalibration': {**_STAMPED, 'width': 'integer', 'height': 'integer',
                          'distortion_model': 'text', 'D': 'number[]', 'K': 'number[]',
                          'R': 'number[]', 'P': 'number[]'},
    'JointState': {'name': 'text', 'position': 'number'},
    'JointStates': {'timestamp': 'time', 'joints': 'JointState[]'},
    'FrameTransform': {'timestamp': 'time', 'parent_frame_id': 'text', 'child_frame_id': 'text',
                       'translation': 'Vector3', 'rotation': 'Quaternion'},
    'FrameTransforms': {'transforms': 'FrameTransform[]'},
    'CubePrimitive': _BODY,
    'SpherePrimitive': _BODY,
    'CylinderPrimitive': {**_BODY, 'bottom_scale': 'number', 'top_scale': 'number'},
    'LinePrimitive': {'type': 'integer', 'pose': 'Pose', 'thickness': 'number',
                      'scale_invariant': 'flag', 'points': 'Point3[]', 'color': 'Color',
                      'colors': 'Color[]', 'indices': 'integer[]'},
    'TriangleListPrimitive': {'pose': 'Pose', 'points': 'Point3[]', 'color': 'Color',
                              'colors': 'Color[]', 'indices': 'integer[]'},
    'TextPrimitive': {'pose': 'Pose', 'billboard': 'flag', 'font_size': 'number',
                      'scale_invariant': 'flag', 'color': 'Color', 'text': 'text'},
    'SceneEntityDeletion': {'timestamp': 'time', 'type': 'integer', 'id': 'text'},
    'SceneEntity': {**_STAMPED, 'id': 'text', 'lifetime': 'duration', 'frame_locked': 'flag',
                    'metadata': 'any[]', 'arrows': 'any[]', 'models': 'any[]',
                    'cubes': 'CubePrimitive[]', 'spheres': 'SpherePrimitive[]',
                    'cylinders': 'CylinderPrimitive[]', 'lines': 'LinePrimitive[]',
                    'triangles': 'TriangleListPrimitive[]', 'texts': 'TextPrimitive[]'},
    'SceneUpdate': {'deletions': 'SceneEntityDeletion[]', 'entities': 'SceneEntity[]'},
    'Log': {'timestamp': 'time', 'level': 'integer', 'message': 'text', 'name': 'text',
            'file': 'text', 'line': 'integer'},
}
OUR_TYPES: dict[str, dict[str, str]] = {
    'Plan': {'timestamp': 'time', 'version': 'integer', 'plan': 'any'},
    'Attempt': {'timestamp': 'time', 'attempt': 'any'},
    'Phase': {'timestamp': 'time', 'state': 'text', 'step': 'text', 'phase': 'text',
              'plan_version': 'integer', 'retry': 'integer'},
}


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of a type: 'foxglove.Log' or 'replan_agent.Plan'."""
    package, _, short = name.partition('.')
    fields = (TYPES if package == 'foxglove' else OUR_TYPES)[short]
    return {'title': name, 'type': 'object', 'required': list(fields),
            'properties': {field: _described(kind) for field, kind in fields.items()}}


def _described(kind: str) -> dict[str, Any]:
    if kind.endswith('[]'):
        return {'type': 'array', 'items': _described(kind[:-2])}
    return _BASIC[kind] if kind in _BASIC else schema(f'foxglove.{kind}')
