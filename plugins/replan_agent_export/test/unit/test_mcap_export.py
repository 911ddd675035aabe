# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as MCAP, read back with the mcap library and compared with the run."""

from __future__ import annotations

import base64
import json

import jsonschema
import numpy as np
import pytest
from made_run import events, made_run, motion, result

from replan_agent.app.cli.main import main
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.pose import Pose

make_reader = pytest.importorskip('mcap.reader', reason='pip install mcap').make_reader
PICTURE = b'\xff\xd8 not really a picture \xff\xd9'


def with_pictures(folder):
    (folder / 'pictures').mkdir()
    (folder / 'pictures' / '0001.jpg').write_bytes(PICTURE)
    (folder / 'pictures' / 'camera.json').write_text(json.dumps({
        'width': 640, 'height': 480, 'intrinsics': [[500, 0, 319.5], [0, 500, 239.5], [0, 0, 1]],
        'T_base_camera': {'position': [1, 0, 0.5], 'quaternion_wxyz': [0, 1, 0, 0]}}))
    lines = events()
    lines[1]['picture'] = lines[6]['picture'] = 'pictures/0001.jpg'
    write_events(folder, lines)
    return folder


def write_events(folder, lines):
    (folder / 'events.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))


@pytest.fixture
def run(tmp_path):
    return with_pictures(made_run(tmp_path / 'run'))


def exported(run):
    """The messages by topic, each with its time (s)."""
    file = run.with_suffix('.mcap')
    assert main(['export', str(run), '--mcap', str(file)]) == 0
    found, last = {}, 0
    with file.open('rb') as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            assert message.log_time >= last
            last, value = message.log_time, json.loads(message.data)
            jsonschema.validate(value, json.loads(schema.data))
            found.setdefault(channel.topic, []).append((message.log_time / 1e9, value))
    return found


def test_joints_and_frames_are_those_of_the_run_frame_by_frame(run):
    found, lines = exported(run), list(motion())[1:]
    assert len(found['/joint_states']) == len(found['/tf']) == len(lines)
    for line, (at, joints), (_, frames) in zip(lines, found['/joint_states'], found['/tf']):
        assert at == line['t']
        assert [j['position'] for j in joints['joints']] == [*line['q'], *2 * [line['w'] / 2]]
        place = FrankaKinematics('panda').forward(np.array(line['q']))
        assert in_base(frames, 'panda_hand_tcp') == pytest.approx(place, abs=1e-9)
    moved = [t['translation']['z'] for _, frames in found['/tf'] for t in frames['transforms']
             if t['child_frame_id'] == 'thing/cube']
    assert moved == [0.02] * 10 + [pytest.approx(0.12)]


def in_base(frames, name):
    """T_base_frame, from one frame to the one that it is below."""
    above = {t['child_frame_id']: t for t in frames['transforms']}
    T = np.eye(4)
    while name in above:
        one = above[name]
        i, j, k, w = one['rotation'].values()
        T = Pose(tuple(one['translation'].values()), (w, i, j, k)).matrix() @ T
        name = one['parent_frame_id']
    assert name == 'panda_link0'
    return T


def test_the_frames_are_a_tree_of_links_as_a_robot_state_publisher_gives_it(run):
    _, frames = exported(run)['/tf'][0]
    above = {t['child_frame_id']: t['parent_frame_id'] for t in frames['transforms']}
    links = ['panda_link0', *(f'panda_link{i}' for i in range(1, 8)), 'panda_hand']
    assert [above[link] for link in links[1:]] == links[:-1]
    assert {above[part] for part in ('panda_hand_tcp', 'panda_leftfinger', 'panda_rightfinger')
            } == {'panda_hand'}
    assert above['thing/cube'] == 'panda_link0'


def test_pictures_plan_attempts_phases_and_log_are_there_at_their_times(run):
    found = exported(run)
    assert [at for at, _ in found['/camera/image']] == [0.0, 0.2]
    assert base64.b64decode(found['/camera/image'][0][1]['data']) == PICTURE
    assert found['/camera/calibration'][0][1]['K'][2] == 319.5
    assert found['/plan'][0][1]['plan'] == events()[2]['plan']
    assert [(at, value['phase'], value['retry']) for at, value in found['/phase']] == [
        (0.0, '', 0), (0.0, 'approach', 0), (0.1, 'grasp', 0), (0.2, '', 1),
        (0.2, 'approach', 1), (0.3, 'grasp', 1)]
    assert (0.2, 4) in [(at, value['level']) for at, value in found['/log']]
    (cube,) = found['/scene'][0][1]['entities']
    assert cube['id'] == 'cube' and cube['cubes'][0]['size'] == dict.fromkeys('xyz', 0.04)


def test_a_target_out_of_reach_is_drawn_with_the_nearest_pose(run):
    lines = events()
    pose = {'position': [1.2, 0, 0.1], 'quaternion_wxyz': [0, 1, 0, 0]}
    lines[6]['result'] = result(False, reason='unreachable', ik={
        'converged': False, 'iterations': 9, 'pos_err': 0.35, 'rot_err': 0.1, 'pos_tol': 0.001,
        'rot_tol': 0.01, 'target': pose, 'frame': 'panda_link0', 'joints': [0.0] * 7,
        'limiting_joint': None, 'reachability': 'proved_unreachable', 'out_of_reach_m': 0.35,
        'proof': 'too far', 'solver': 'analytic'})
    write_events(run, lines)
    (drawn,) = (e for _, v in exported(run)['/markers'] for e in v['entities']
                if e['id'] == 'failed target')
    assert '35.0 cm' in drawn['texts'][0]['text']
    assert drawn['lines'][-1]['points'][1] == {'x': 1.2, 'y': 0.0, 'z': 0.1}


def test_a_run_without_motion_and_pictures_is_exported_as_well(tmp_path):
    run = made_run(tmp_path / 'run')
    (run / 'motion.jsonl').unlink()
    assert {'/scene', '/plan', '/log', '/phase', '/arm'} <= set(exported(run))


def test_a_run_that_was_killed_is_exported_up_to_its_torn_line(run):
    text = (run / 'events.jsonl').read_text()
    (run / 'events.jsonl').write_text(text[:-40])
    assert exported(run)['/phase'][-1][1]['phase'] == 'grasp'


def test_nothing_is_overwritten_without_force(run, tmp_path, capsys):
    file = tmp_path / 'mine.mcap'
    file.write_text('mine')
    assert main(['export', str(run), '--mcap', str(file)]) == 2
    assert file.read_text() == 'mine' and '--force' in capsys.readouterr().err
    assert main(['export', str(run), '--mcap', str(file), '--force']) == 0
    assert file.stat().st_size > 1000


@pytest.mark.parametrize(('break_it', 'why'), [
    (lambda run: (run / 'pictures' / '0001.jpg').unlink(), '0001.jpg: cannot be read'),
    (lambda run: (run / 'motion.jsonl').write_text('{"format": 1}\n{"t": 0}\n'), 'motion.jsonl'),
    (lambda run: (run / 'events.jsonl').write_text('{}\n{}\n'), 'not an event'),
    (lambda run: (run / 'events.jsonl').write_text(''), 'does not begin with the start'),
    (lambda run: (run / 'events.jsonl').unlink(), 'not the folder of a run'),
    (lambda run: write_events(run, [events()[0], {**events()[1], 'scene': 5}]), 'not the format'),
    (lambda run: write_events(run, [events()[0], {**events()[1], 'picture': '../../x'}]),
     'outside of it'),
])
def test_a_broken_run_is_one_sentence_and_leaves_no_file(break_it, why, run, capsys):
    break_it(run)
    before = set(run.parent.iterdir())
    assert main(['export', str(run), '--mcap', str(run.with_suffix('.mcap'))]) == 2
    said = capsys.readouterr().err
    assert why in said and said.count('\n') == 1
    assert set(run.parent.iterdir()) == before


def test_wrong_use_is_explained(run, tmp_path, capsys):
    for arguments, why in (
            ([str(run)], 'say what to write'),
            ([str(run), str(run), '--mcap', str(tmp_path / 'x')], '--rosbag take one run'),
            ([str(tmp_path / 'none'), '--mcap', str(tmp_path / 'x')], 'no such run'),
            ([str(run), '--lerobot', str(run), '--force'], 'not a LeRobot dataset')):
        assert main(['export', *arguments]) == 2
        assert why in capsys.readouterr().err
    assert (run / 'events.jsonl').is_file() and not (tmp_path / 'x').exists()


def test_without_the_extra_it_says_how_to_get_it(run, monkeypatch, capsys):
    monkeypatch.setattr('replan_agent_export.export_command.find_spec', lambda name: None)
    assert main(['export', str(run), '--mcap', str(run.with_suffix('.mcap'))]) == 2
    assert 'export needs mcap: pip install mcap' in capsys.readouterr().err
