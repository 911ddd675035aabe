# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the key moments of a run, and what happens when there are none."""

from __future__ import annotations

import json

import cv2
import numpy as np

from replan_agent.domain.event import ScenePerceived, StateChanged, StepFinished, TaskFinished
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.record import picture_files
from replan_agent.record.run_folder import RunFolder

LOOK = ScenePerceived(Scene('scene-1', 0.0, (), 'camera'), 0.1)
PICK = Step(1, 'pick', {'object': 'cube'})
MISSED = StepFinished(0, 1, PICK, failed(Reason.GRASP_MISSED, 'nothing between the pads'), 0.1)
LIFTED = StepFinished(0, 1, PICK, succeeded(), 0.1)
END = TaskFinished(True, 'plan_complete', '')


def frame(grey=100):
    return CameraFrame(0.0, np.full((24, 32, 3), grey, np.uint8), np.zeros((24, 32)),
                       np.array([[30.0, 0, 15.5], [0, 30.0, 11.5], [0, 0, 1]]),
                       Pose((1.0, 0.0, 0.5)))


def lines(path):
    return [json.loads(line) for line in (path / 'events.jsonl').read_text().splitlines()]


def recorded(path, source, *events):
    folder = RunFolder(path, frame=source)
    for event in events:
        folder.record(event)
    return lines(path)


def test_a_look_a_failure_and_the_end_have_pictures_and_nothing_else_has(tmp_path):
    greys = iter((10, 120, 240))
    found = recorded(tmp_path, lambda: frame(next(greys)), StateChanged('perceiving'), LOOK,
                     LIFTED, MISSED, END)
    assert [line.get('picture') for line in found] == [
        None, 'pictures/0001.jpg', None, 'pictures/0002.jpg', 'pictures/0003.jpg']
    for name, grey in (('0001', 10), ('0002', 120), ('0003', 240)):
        seen = cv2.imread(str(tmp_path / 'pictures' / f'{name}.jpg'))
        assert seen.shape == (24, 32, 3) and abs(float(seen.mean()) - grey) < 3


def test_events_of_the_same_frame_share_its_picture(tmp_path):
    same = frame()
    found = recorded(tmp_path, lambda: same, LOOK, MISSED, END)
    assert {line['picture'] for line in found} == {'pictures/0001.jpg'}


def test_the_camera_is_beside_its_pictures(tmp_path):
    recorded(tmp_path, frame, LOOK)
    camera = json.loads((tmp_path / 'pictures' / 'camera.json').read_text())
    assert camera['width'] == 32 and camera['height'] == 24
    assert camera['intrinsics'][0] == [30.0, 0, 15.5]
    assert camera['T_base_camera']['position'] == [1.0, 0.0, 0.5]


def test_without_graphics_the_run_goes_on_and_says_once_why(tmp_path):
    asked = []

    def no_graphics():
        asked.append(1)
        raise CameraError('install libegl1')

    found = recorded(tmp_path, no_graphics, LOOK, MISSED, END)
    assert found[0]['unrecorded'] == 'pictures: install libegl1' and len(asked) == 1
    assert not any('picture' in line for line in found)
    assert not any('unrecorded' in line for line in found[1:])


def test_a_disk_error_ends_the_pictures_and_not_the_task(tmp_path):
    (tmp_path / 'pictures').write_text('in the way')
    first, last = recorded(tmp_path, frame, LOOK, END)
    assert first['unrecorded'] == 'pictures: File exists' and last['event'] == 'task_finished'


def test_a_run_has_a_bounded_number_of_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(picture_files, 'MOST', 3)
    recorded(tmp_path, frame, *[LOOK] * 10)
    assert len(list((tmp_path / 'pictures').glob('*.jpg'))) == 3


def test_the_pictures_of_an_earlier_run_are_moved_with_it(tmp_path):
    recorded(tmp_path / 'run', frame, LOOK, END)
    recorded(tmp_path / 'run', frame, LOOK)
    earlier = tmp_path / 'run' / 'earlier-1'
    assert len(list((earlier / 'pictures').glob('*.jpg'))) == 2
    assert len(list((tmp_path / 'run' / 'pictures').glob('*.jpg'))) == 1
