# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writes a recorded run as a ROS bag: an MCAP file with ROS 2 messages, for `ros2 bag play`.

It needs ROS 2: the messages are the installed ones, and their definitions are read from them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from mcap.writer import Writer
from rcl_interfaces.msg import Log
from rclpy.serialization import serialize_message
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from replan_agent.domain.plan import Plan
from replan_agent.domain.scene import Scene
from replan_agent.ros.messages.call_messages import plan_to_msg
from replan_agent.ros.messages.message_fields import time_to_msg
from replan_agent.ros.messages.message_table import to_msg

from .recorded_run import RecordedRun
from .run_messages import Message, run_messages

PROFILE, LIBRARY = 'ros2', 'replan_agent'
# Publishers of `ros2 bag play` get these; the last message of a latched topic reaches late nodes.
QOS = """\
- history: keep_last
  depth: {depth}
  reliability: reliable
  durability: {durability}
  deadline: {{sec: 9223372036, nsec: 854775807}}
  lifespan: {{sec: 9223372036, nsec: 854775807}}
  liveliness: automatic
  liveliness_lease_duration: {{sec: 9223372036, nsec: 854775807}}
  avoid_ros_namespace_conventions: false
"""
LATCHED = ('/tf_static', '/scene', '/agent_node/plan')
NAMES = {'double': 'float64', 'float': 'float32', 'boolean': 'bool', 'octet': 'byte'}
FIELD = re.compile(r'(?:sequence<)?([\w/]+)(<\d+>)?(?:, (\d+))?>?(?:\[(\d+)\])?')


class RosMessage(NamedTuple):
    """A message of ROS: when (robot time, s), where, and the message."""

    robot_s: float
    topic: str
    message: Any


def write_ros_bag(run: RecordedRun, file: Path) -> int:
    """The number of messages written. Raises RunUnreadable."""
    messages = sorted(ros_messages(run), key=lambda message: message.robot_s)
    with open(file, 'wb') as stream:
        writer = Writer(stream)
        writer.start(profile=PROFILE, library=LIBRARY)
        channels: dict[str, int] = {}
        schemas: dict[type, int] = {}
        for number, (robot_s, topic, message) in enumerate(messages):
            kind = type(message)
            if kind not in schemas:
                schemas[kind] = writer.register_schema(
                    name=type_name(kind), encoding='ros2msg', data=definition(kind).encode())
            if topic not in channels:
                channels[topic] = writer.register_channel(
                    topic=topic, message_encoding='cdr', schema_id=schemas[kind],
                    metadata={'offered_qos_profiles': _qos(topic)})
            time_ns = round(robot_s * 1e9)
            writer.add_message(channels[topic], log_time=time_ns, publish_time=time_ns,
                               sequence=number, data=serialize_message(message))
        writer.finish()
    return len(messages)


def ros_messages(run: RecordedRun) -> Iterator[RosMessage]:
    """The messages of a run, for the topics that the nodes have, too."""
    for event in run.events:
        if event['event'] == 'scene_perceived':
            yield RosMessage(float(event['robot_s']), '/scene',
                             to_msg(Scene.from_dict(event['scene'])))
    for message in run_messages(run):
        if message.type in WAYS:
            topic, way = WAYS[message.type]
            yield RosMessage(message.robot_s, topic or message.topic, way(message))


def _joints(said: Message) -> JointState:
    joints = said.value['joints']
    return JointState(header=_header(said), name=[joint['name'] for joint in joints],
                      position=[joint['position'] for joint in joints])


def _frames(said: Message) -> TFMessage:
    return TFMessage(transforms=[TransformStamped(
        header=_header(said, one['parent_frame_id']), child_frame_id=one['child_frame_id'],
        transform=Transform(translation=Vector3(**one['translation']),
                            rotation=Quaternion(**one['rotation'])))
        for one in said.value['transforms']])


def _picture(said: Message) -> CompressedImage:
    return CompressedImage(header=_header(said, said.value['frame_id']),
                           format=said.value['format'], data=base64.b64decode(said.value['data']))


def _camera(said: Message) -> CameraInfo:
    value = said.value
    numbers = {low: list(map(float, value[low.upper()])) for low in 'dkrp'}
    return CameraInfo(header=_header(said, value['frame_id']), width=value['width'],
                      height=value['height'], distortion_model='plumb_bob',
                      **{**numbers, 'd': numbers['d'] or [0.0] * 5})


def _log(said: Message) -> Log:
    """Foxglove's levels 1 to 5 are 10 to 50 here."""
    return Log(stamp=time_to_msg(said.robot_s), level=10 * said.value['level'],
               name='replan_agent', msg=said.value['message'])


WAYS: dict[str, tuple[str, Callable[[Message], Any]]] = {
    'foxglove.JointStates': ('', _joints), 'foxglove.FrameTransforms': ('', _frames),
    'foxglove.CompressedImage': ('/camera/color/image_raw/compressed', _picture),
    'foxglove.CameraCalibration': ('/camera/color/camera_info', _camera),
    'foxglove.Log': ('/rosout', _log),
    'replan_agent.Plan': ('/agent_node/plan', lambda said: plan_to_msg(
        Plan.from_dict(said.value['plan'])))}


def _header(said: Message, frame: str = '') -> Header:
    return Header(stamp=time_to_msg(said.robot_s), frame_id=frame)


def _qos(topic: str) -> str:
    latched = topic in LATCHED
    return QOS.format(depth=1 if latched else 100,
                      durability='transient_local' if latched else 'volatile')


def type_name(kind: type) -> str:
    """The name that ROS 2 gives it, such as sensor_msgs/msg/JointState."""
    return f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}'


def definition(kind: type) -> str:
    """The fields of a type and of all types in it, as bags hold them."""
    waiting, found = [kind], dict[str, str]()
    while waiting:
        one = waiting.pop()
        lines = []
        for name, told in one.get_fields_and_field_types().items():  # type: ignore[attr-defined]
            base, line = _field(told)
            lines.append(f'{line} {name}')
            if '/' in base:
                package, short = base.split('/')
                inner = getattr(import_module(f'{package}.msg'), short)
                if base not in found:
                    waiting.append(inner)
        found[type_name(one).replace('/msg/', '/')] = '\n'.join(lines)
    first, *others = found.items()
    return '\n'.join([first[1], *(f'{"=" * 80}\nMSG: {name}\n{lines}' for name, lines in others)])


def _field(told: str) -> tuple[str, str]:
    """The type inside, and the type as a definition writes it; `told` is rosidl's."""
    match = FIELD.fullmatch(told)
    assert match, f'a type that is not known: {told}'
    base, longest, most, count = match.groups()
    name = NAMES.get(base, base) + (f'<={longest[1:-1]}' if longest else '')
    if told.startswith('sequence<'):
        return base, f'{name}[<={most}]' if most else f'{name}[]'
    return base, f'{name}[{count}]' if count else name
