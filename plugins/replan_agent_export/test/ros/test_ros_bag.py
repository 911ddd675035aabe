# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as a ROS bag: its messages are read back as ROS 2 reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from rcl_interfaces.msg import Log
from rclpy.serialization import deserialize_message
from replan_agent_interfaces.msg import Plan, Scene
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from tf2_msgs.msg import TFMessage

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / 'test' / 'shared')]
# For mcap_ros2, which the runtime of the tests lacks; the clone's own environment has it.
SITE = ROOT / '.venv' / 'lib' / f'python{sysconfig.get_python_version()}' / 'site-packages'
sys.path.append(str(SITE))
if 'REPLAN_AGENT_ROS_RUNTIME' not in os.environ:  # it has mcap; an installed ROS 2 may lack it
    pytest.importorskip('mcap', reason='python3 -m pip install mcap')
from made_run import events, made_run, motion  # noqa: E402
from mcap.reader import make_reader  # noqa: E402
from replan_agent_export.recorded_run import RecordedRun  # noqa: E402
from replan_agent_export.ros_bag import definition, type_name, write_ros_bag  # noqa: E402

TYPES = {type_name(kind): kind for kind in (
    CameraInfo, CompressedImage, JointState, Log, Plan, Scene, TFMessage)}
PICTURE = b'\xff\xd8 not really a picture \xff\xd9'


@pytest.fixture
def run(tmp_path: Path) -> RecordedRun:
    folder = made_run(tmp_path / 'run')
    (folder / 'pictures').mkdir()
    (folder / 'pictures' / '0001.jpg').write_bytes(PICTURE)
    (folder / 'pictures' / 'camera.json').write_text(json.dumps({
        'width': 640, 'height': 480, 'intrinsics': [[500, 0, 319.5], [0, 500, 239.5], [0, 0, 1]],
        'T_base_camera': {'position': [1, 0, 0.5], 'quaternion_wxyz': [0, 1, 0, 0]}}))
    lines = events()
    lines[1]['picture'] = 'pictures/0001.jpg'
    (folder / 'events.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))
    return RecordedRun.load(folder)


@pytest.fixture
def bag(run: RecordedRun, tmp_path: Path) -> dict[str, list[Any]]:
    """The messages by topic, as ROS 2 reads their bytes."""
    file, found = tmp_path / 'bag.mcap', defaultdict(list)
    count = write_ros_bag(run, file)
    with file.open('rb') as stream:
        reader = make_reader(stream)
        assert reader.get_header().profile == 'ros2'
        for schema, channel, message in reader.iter_messages():
            assert (schema.encoding, channel.message_encoding) == ('ros2msg', 'cdr')
            found[channel.topic].append(deserialize_message(message.data, TYPES[schema.name]))
    assert sum(map(len, found.values())) == count
    return found


def test_the_joint_states_are_those_of_the_run(bag: dict[str, list[JointState]]) -> None:
    lines = list(motion())[1:]
    for line, said in zip(lines, bag['/joint_states'], strict=True):
        assert list(said.position) == pytest.approx([*line['q'], *2 * [line['w'] / 2]])
        assert said.header.stamp.sec + said.header.stamp.nanosec / 1e9 == pytest.approx(line['t'])
    assert said.name[0] == 'panda_joint1'


def test_the_command_writes_a_bag_with_what_this_ros_has(run: RecordedRun, tmp_path: Path) -> None:
    file = tmp_path / 'bag.mcap'
    ended = subprocess.run(
        [sys.executable, '-m', 'replan_agent.ros.commands', 'export', str(tmp_path / 'run'),
         '--rosbag', str(file)], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert str(file) in ended.stdout
    with file.open('rb') as stream:
        counts = make_reader(stream).get_summary().statistics.channel_message_counts
    assert len(counts) == 8 and min(counts.values()) >= 1


def test_other_readers_decode_every_message_by_the_definitions_in_the_bag(
        run: RecordedRun, tmp_path: Path) -> None:
    """As Foxglove does: without ROS 2, without our packages."""
    decoding = pytest.importorskip('mcap_ros2.reader', reason='pip install mcap-ros2-support')
    file, found = tmp_path / 'bag.mcap', defaultdict(list)
    count = write_ros_bag(run, file)
    for said in decoding.read_ros2_messages(file):
        found[said.channel.topic].append(said.ros_msg)
    assert sum(map(len, found.values())) == count
    assert found.keys() == {'/joint_states', '/tf', '/tf_static', '/scene', '/rosout',
                            '/agent_node/plan', '/camera/color/image_raw/compressed',
                            '/camera/color/camera_info'}
    (picture,) = found['/camera/color/image_raw/compressed']
    assert bytes(picture.data) == PICTURE
    assert [thing.name for thing in found['/scene'][0].objects] == ['cube']
    assert [step.skill for step in found['/agent_node/plan'][0].steps] == ['pick']
    last = list(motion())[-1]
    assert list(found['/joint_states'][-1].position)[:7] == pytest.approx(last['q'])


def test_the_frames_of_the_arm_are_a_tree_of_links(bag: dict[str, list[TFMessage]]) -> None:
    above = {one.child_frame_id: one.header.frame_id for one in bag['/tf'][0].transforms}
    links = ['panda_link0', *(f'panda_link{i}' for i in range(1, 8)), 'panda_hand']
    assert [above[link] for link in links[1:]] == links[:-1]
    assert above['panda_leftfinger'] == 'panda_hand'


def test_frames_of_arm_and_camera_are_transforms(bag: dict[str, list[TFMessage]]) -> None:
    assert len(bag['/tf']) == len(bag['/joint_states'])
    (camera,) = bag['/tf_static'][0].transforms
    assert (camera.header.frame_id, camera.transform.translation.x) == ('panda_link0', 1.0)
    assert 'panda_hand_tcp' in {one.child_frame_id for one in bag['/tf'][0].transforms}


def test_pictures_their_camera_scene_plan_and_log_are_messages(bag: dict[str, list[Any]]) -> None:
    (picture,), (camera,) = (bag['/camera/color/image_raw/compressed'],
                             bag['/camera/color/camera_info'])
    assert bytes(picture.data) == PICTURE and picture.format == 'jpeg'
    assert (camera.width, camera.k[0], len(camera.d)) == (640, 500.0, 5)
    assert camera.header.frame_id == picture.header.frame_id
    assert [thing.name for thing in bag['/scene'][0].objects] == ['cube']
    assert [step.skill for step in bag['/agent_node/plan'][0].steps] == ['pick']
    assert {said.level for said in bag['/rosout']} <= {10, 20, 30, 40, 50}


def test_every_type_is_defined_down_to_its_parts() -> None:
    text = definition(TFMessage)
    assert text.splitlines()[0] == 'geometry_msgs/TransformStamped[] transforms'
    parts = {line[5:] for line in text.splitlines() if line.startswith('MSG: ')}
    assert parts == {'geometry_msgs/TransformStamped', 'std_msgs/Header', 'geometry_msgs/Vector3',
                     'builtin_interfaces/Time', 'geometry_msgs/Transform',
                     'geometry_msgs/Quaternion'}
    assert 'float64[9] k' in definition(CameraInfo).splitlines()
    assert 'string[] name' in definition(JointState).splitlines()


def test_topics_that_late_nodes_need_are_latched_in_the_bag(run: RecordedRun,
                                                           tmp_path: Path) -> None:
    file = tmp_path / 'bag.mcap'
    write_ros_bag(run, file)
    with file.open('rb') as stream:
        channels = make_reader(stream).get_summary().channels.values()
    told = {channel.topic: yaml.safe_load(channel.metadata['offered_qos_profiles'])[0]
            for channel in channels}
    latched = {topic for topic, qos in told.items() if qos['durability'] == 'transient_local'}
    assert latched == {'/tf_static', '/scene', '/agent_node/plan'}
