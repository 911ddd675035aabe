# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an export writes, against Foxglove's own types; and the layout against an export."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from made_run import events, made_run, result
from replan_agent_export.foxglove_schemas import OUR_TYPES, TYPES
from replan_agent_export.recorded_run import RecordedRun
from replan_agent_export.run_messages import Message, run_messages

CONFIG = Path(__file__).resolve().parents[4] / 'config'
POSE = {'position': [1.2, 0, 0.1], 'quaternion_wxyz': [0, 1, 0, 0]}
IK = {'converged': False, 'iterations': 9, 'pos_err': 0.35, 'rot_err': 0.1, 'pos_tol': 0.001,
      'rot_tol': 0.01, 'target': POSE, 'frame': 'panda_link0', 'joints': [0.0] * 7,
      'limiting_joint': None, 'reachability': 'proved_unreachable', 'out_of_reach_m': 0.35,
      'proof': 'too far', 'solver': 'analytic'}
# What each panel of the layout can show.
SHOWS = {'3D': 'foxglove.SceneUpdate', 'Image': 'foxglove.CompressedImage',
         'RosOut': 'foxglove.Log'}


@pytest.fixture(scope='module')
def messages(tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    """Of a run with everything: pictures, motion, a failure with a target out of reach."""
    folder = made_run(tmp_path_factory.mktemp('all') / 'run')
    (folder / 'pictures').mkdir()
    (folder / 'pictures' / '0001.jpg').write_bytes(b'\xff\xd8\xff\xd9')
    (folder / 'pictures' / 'camera.json').write_text(json.dumps({
        'width': 640, 'height': 480, 'T_base_camera': POSE,
        'intrinsics': [[500, 0, 319.5], [0, 500, 239.5], [0, 0, 1]]}))
    lines = events()
    lines[1]['picture'] = 'pictures/0001.jpg'
    lines[6]['result'] = result(False, reason='unreachable', ik=IK)
    lines.insert(7, {'event': 'attempt_recorded', 'wall_s': 1.0, 'robot_s': 0.2,
                     'attempt': {'reason': 'unreachable'}})
    (folder / 'events.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))
    return run_messages(RecordedRun.load(folder))


def test_every_message_is_what_foxgloves_own_library_calls_by_that_name(
    messages: list[Message]
) -> None:
    types = pytest.importorskip('foxglove.messages', reason='pip install foxglove-sdk')
    seen = set()
    for message in messages:
        package, _, name = message.type.partition('.')
        if package == 'foxglove':
            seen.add(name)
            _built(types, name, message.value)
    assert seen == {'CompressedImage', 'CameraCalibration', 'JointStates', 'FrameTransforms',
                    'SceneUpdate', 'Log'}


def _built(types: Any, name: str, value: dict[str, Any]) -> Any:
    """The message in the library's type: it raises if a field is unknown or of another kind."""
    assert set(value) == set(TYPES[name])
    fields = {field: _field(types, name, field, kind, value[field])
              for field, kind in TYPES[name].items()}
    made = getattr(types, name)(**fields)
    assert not hasattr(made, 'encode') or made.encode() is not None
    return made


def _field(types: Any, owner: str, field: str, kind: str, value: Any) -> Any:
    if kind.endswith('[]'):
        return [_field(types, owner, field, kind[:-2], one) for one in value]
    if kind in TYPES:
        return _built(types, kind, value)
    if kind in ('time', 'duration'):
        return {'time': types.Timestamp, 'duration': types.Duration}[kind](**value)
    if kind == 'bytes':
        return base64.b64decode(value)
    enum = {('Log', 'level'): 'LogLevel', ('LinePrimitive', 'type'): 'LinePrimitiveLineType',
            ('SceneEntityDeletion', 'type'): 'SceneEntityDeletionType'}.get((owner, field))
    if not enum:
        return value
    members = vars(getattr(types, enum)).values()
    return next(one for one in members if type(one).__name__ == enum and int(one) == value)


def test_the_layout_names_topics_and_fields_that_an_export_has(messages: list[Message]) -> None:
    kinds = {message.topic: message.type for message in messages}
    values: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        values.setdefault(message.topic, []).append(message.value)
    layout = json.loads((CONFIG / 'foxglove_recording.json').read_text('utf-8'))
    shown = set()
    for panel, config in layout['configById'].items():
        what = panel.partition('!')[0]
        for topic in _topics(config):
            shown.add(topic)
            assert topic in kinds, f'{panel}: {topic}'
            if what in SHOWS and topic != config.get('imageMode', {}).get('calibrationTopic'):
                drawn = 'foxglove.SceneUpdate' if topic in config.get('topics', ()) else None
                assert kinds[topic] == (drawn or SHOWS[what]), f'{panel}: {topic}'
        for path in config.get('paths', ()):
            topic, _, rest = path['value'].partition('.')
            shown.add(topic)
            assert any(_has(value, rest) for value in values[topic]), path['value']
    assert kinds['/camera/calibration'] == 'foxglove.CameraCalibration'
    assert shown == set(kinds) - {'/tf', '/tf_static'}  # these two are not shown by a name
    assert set(_panels(layout['layout'])) == set(layout['configById'])
    assert layout['configById']['3D!scene']['followTf'] in {
        t['parent_frame_id'] for m in messages if m.topic == '/tf' for t in m.value['transforms']}


def _topics(config: dict[str, Any]) -> list[str]:
    named = [config.get(key, '') for key in ('topicPath', 'topicToRender')]
    return [topic for topic in (*named, *config.get('topics', ()), *(
        topic for topic in config.get('imageMode', {}).values())) if topic]


def _has(value: Any, path: str) -> bool:
    """Whether the value has the field of a path such as joints[0].position."""
    for part in path.replace('[', '.').replace(']', '').split('.'):
        try:
            value = value[int(part)] if part.isdecimal() else value[part]
        except (KeyError, IndexError):
            return False
    return True


def _panels(node: Any) -> list[str]:
    return [node] if isinstance(node, str) else [*_panels(node['first']),
                                                 *_panels(node['second'])]


def test_every_type_that_is_written_is_described(messages: list[Message]) -> None:
    for message in messages:
        package, _, name = message.type.partition('.')
        described = TYPES if package == 'foxglove' else OUR_TYPES
        assert set(message.value) == set(described[name])
