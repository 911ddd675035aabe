# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real runs, recorded and exported: every frame is compared with the run."""

from __future__ import annotations

import json
import shutil

import cv2
import numpy as np
import pytest
from replan_agent_export import lerobot_export
from replan_agent_export.recorded_world import show

from replan_agent import Simulation
from replan_agent.app.build.wiring import Glances
from replan_agent.app.cli.main import main
from replan_agent.domain.robot_state import CameraError
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.mujoco_robot import sample_of

EXTRA = 'pip install mcap pyarrow'
VIDEO = 'observation.images.front'


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope='module')
def slipped(tmp_path_factory):
    """A pick that slips once and is tried again: its folder."""
    out = tmp_path_factory.mktemp('recordings') / 'run'
    assert Simulation('greasy_cube').run('pick up the red cube', out=out)
    return out


@pytest.mark.gl
def test_looks_failures_and_the_end_have_pictures(slipped):
    events = lines(slipped / 'events.jsonl')
    failed = [e for e in events if e['event'] == 'step_finished' and not e['result']['success']]
    keys = [*failed, events[-1], *(e for e in events if e['event'] == 'scene_perceived')]
    assert failed and all('picture' in event for event in keys)
    for event in keys:
        assert cv2.imread(str(slipped / event['picture'])).shape[2] == 3


@pytest.mark.gl
def test_the_picture_of_a_look_is_the_frame_of_perception(tmp_path):
    simulation = Simulation('pick_cube', perception='camera')
    simulation.run('go home', out=tmp_path)
    look = next(e for e in lines(tmp_path / 'events.jsonl') if 'picture' in e)
    written = cv2.imread(str(tmp_path / look['picture']))[..., ::-1].astype(int)
    fresh = MujocoCamera(Simulation('pick_cube').world)
    try:
        assert np.abs(written - fresh.glance().rgb).mean() < 6  # JPEG, and the sensor's noise
    finally:
        fresh.close()


def test_without_graphics_a_task_is_done_and_recorded(tmp_path, monkeypatch):
    def dark(self):
        raise CameraError('no graphics')

    monkeypatch.setattr(Glances, 'frame', dark)
    assert Simulation('pick_cube').run('pick up the red cube', out=tmp_path)
    events = lines(tmp_path / 'events.jsonl')
    assert [e['unrecorded'] for e in events if 'unrecorded' in e] == ['pictures: no graphics']
    assert events[-1]['success'] and len(lines(tmp_path / 'motion.jsonl')) > 20


def test_a_sample_puts_a_world_where_it_was(slipped):
    simulation = Simulation('greasy_cube')
    last = lines(slipped / 'motion.jsonl')[-1]
    before = sample_of(simulation.world)
    moved = type(before)(before.robot_s, tuple(last['q']), last['w'], before.gripper_command_m,
                         {'red_cube': tuple(last['objects']['red_cube'])})
    show(simulation.world, moved)
    after = sample_of(simulation.world)
    assert after.joints == moved.joints and after.gripper_m == pytest.approx(moved.gripper_m)
    assert after.objects['red_cube'] == moved.objects['red_cube']


def test_a_real_run_is_read_back_by_mcap_frame_by_frame(slipped, tmp_path):
    reader = pytest.importorskip('mcap.reader', reason=EXTRA)
    assert main(['export', str(slipped), '--mcap', str(tmp_path / 'run.mcap')]) == 0
    with (tmp_path / 'run.mcap').open('rb') as stream:
        found = [(m.log_time, json.loads(m.data)) for _, _, m in
                 reader.make_reader(stream).iter_messages(topics=['/joint_states'])]
    motion = lines(slipped / 'motion.jsonl')[1:]
    assert [(at, [j['position'] for j in value['joints'][:7]]) for at, value in found] == [
        (round(line['t'] * 1e9), line['q']) for line in motion]


@pytest.fixture(scope='module')
def dataset(slipped, tmp_path_factory):
    """Two runs as a LeRobot dataset with small pictures; the second one was killed early."""
    pytest.importorskip('pyarrow', reason=EXTRA)
    killed = shutil.copytree(slipped, tmp_path_factory.mktemp('killed') / 'run')
    events = (killed / 'events.jsonl').read_text().splitlines()
    (killed / 'events.jsonl').write_text('\n'.join(events[:20]) + '\n{"eve')
    motion = (killed / 'motion.jsonl').read_text().splitlines()
    (killed / 'motion.jsonl').write_text('\n'.join(motion[:31]) + '\n{"t')
    out = tmp_path_factory.mktemp('lerobot') / 'dataset'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lerobot_export, 'WIDTH', 64)
        patch.setattr(lerobot_export, 'HEIGHT', 48)
        assert main(['export', str(slipped), str(killed), '--lerobot', str(out)]) == 0
    return out


@pytest.mark.gl
def test_the_dataset_has_the_layout_of_version_3(dataset):
    info = json.loads((dataset / 'meta/info.json').read_text())
    files = {str(p.relative_to(dataset)) for p in dataset.rglob('*') if p.is_file()}
    assert files == {'meta/info.json', 'meta/stats.json', 'meta/tasks.parquet',
                     'meta/episodes/chunk-000/file-000.parquet',
                     'data/chunk-000/file-000.parquet',
                     f'videos/{VIDEO}/chunk-000/file-000.mp4',
                     f'videos/{VIDEO}/chunk-000/file-001.mp4'}
    assert info['codebase_version'] == 'v3.0' and info['fps'] == 25
    assert info['total_episodes'] == 2 and info['total_tasks'] == 1
    assert info['features'][VIDEO]['shape'] == [48, 64, 3]


@pytest.mark.gl
def test_each_frame_of_the_dataset_is_the_moment_of_the_run(dataset, slipped):
    from pyarrow import parquet
    rows = parquet.read_table(dataset / 'data/chunk-000/file-000.parquet').to_pylist()
    episode = [row for row in rows if row['episode_index'] == 0]
    motion = lines(slipped / 'motion.jsonl')[1:]
    assert len(episode) == len(motion) and len(rows) == len(motion) + 30
    for number, (row, line) in enumerate(zip(episode, motion)):
        assert row['observation.state'] == np.float32([*line['q'], line['w']]).tolist()
        assert row['timestamp'] == np.float32(number / 25) and row['frame_index'] == number
    for row, later in zip(episode, motion[1:]):
        assert row['action'] == np.float32([*later['q'], later['c']]).tolist()
    assert [row['index'] for row in rows] == list(range(len(rows)))
    assert {row['failure_cause'] for row in episode} == {'', *failed_causes(slipped)}
    assert {row['recovery'] for row in episode} == {'', 'retry'}
    assert any(row['phase'] == 'pick/lift' for row in episode)


def failed_causes(run):
    return {e['result']['cause'] or e['result']['reason'] for e in lines(run / 'events.jsonl')
            if e['event'] == 'step_finished' and not e['result']['success']}


@pytest.mark.gl
def test_the_statistics_are_those_of_all_frames(dataset):
    from pyarrow import parquet
    rows = parquet.read_table(dataset / 'data/chunk-000/file-000.parquet').to_pylist()
    state = np.array([row['observation.state'] for row in rows])
    stats = json.loads((dataset / 'meta/stats.json').read_text())
    told = stats['observation.state']
    for name in ('min', 'max', 'mean', 'std'):
        assert told[name] == pytest.approx(getattr(state, name)(0), abs=1e-6)
    assert told['count'] == [len(rows)]
    assert np.shape(stats[VIDEO]['mean']) == (3, 1, 1) and 0 < stats[VIDEO]['mean'][0][0][0] < 1


@pytest.mark.gl
def test_success_is_said_for_the_last_frame_and_for_the_episode(dataset):
    from pyarrow import parquet
    rows = parquet.read_table(dataset / 'data/chunk-000/file-000.parquet').to_pylist()
    done = [row for row in rows if row['next.done']]
    assert [row['next.success'] for row in done] == [True, False]
    assert sum(row['next.success'] for row in rows) == 1
    episodes = parquet.read_table(dataset / 'meta/episodes/chunk-000/file-000.parquet')
    assert [(e['success'], e['final_reason'], e['tasks']) for e in episodes.to_pylist()] == [
        (True, 'plan_complete', ['pick up the red cube']),
        (False, 'killed', ['pick up the red cube'])]
    tasks = parquet.read_table(dataset / 'meta/tasks.parquet').to_pydict()
    assert tasks == {'task_index': [0], 'task': ['pick up the red cube']}


@pytest.mark.gl
def test_each_frame_of_the_video_shows_its_moment(dataset, slipped):
    from replan_agent_export.recorded_run import RecordedRun
    world = Simulation('greasy_cube').world
    camera = MujocoCamera(world)
    video = cv2.VideoCapture(str(dataset / f'videos/{VIDEO}/chunk-000/file-000.mp4'))
    off = []
    for sample in RecordedRun.load(slipped).motion():
        show(world, sample)
        there, bgr = video.read()
        assert there
        off.append(np.abs(bgr[..., ::-1].astype(int) - camera.render_rgb(64, 48)).mean())
    assert not video.read()[0]
    video.release()
    camera.close()
    assert max(off) < 8


@pytest.mark.gl
def test_a_dataset_that_fails_half_way_leaves_nothing(slipped, tmp_path, capsys):
    other = shutil.copytree(slipped, tmp_path / 'other')
    text = (other / 'motion.jsonl').read_text().splitlines()
    (other / 'motion.jsonl').write_text('\n'.join([*text[:3], *text[9:12]]) + '\n')
    out = tmp_path / 'dataset'
    cut = shutil.copytree(other, tmp_path / 'cut')
    (cut / 'motion.jsonl').write_text('\n'.join(text[:4]) + '\n')
    assert main(['export', str(cut), str(other), '--lerobot', str(out)]) == 2
    assert 'has gaps' in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ['cut', 'other']
