# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A disk that takes no more: every file that is left is whole, and the record says what is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from replan_agent.domain.event import PlanMade, ScenePerceived, StateChanged, TaskFinished
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.domain.scene import Scene
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.record.line_file import LineFile
from replan_agent.record.run_folder import RunFolder
from replan_agent.text.file_bytes import NotWritten, write_whole

LOOK = ScenePerceived(Scene('scene-1', 0.0, (), 'camera'), 0.1)
END = TaskFinished(True, 'plan_complete', '')
PLAN = PlanMade(Plan(1, 't', (Step(1, 'pick', {'object': 'cube'}),), (), PlanCause.INITIAL, None,
                     'scene-1', 'p'), 0.1)
RESULT = TaskResult('t', True, FinalReason.PLAN_COMPLETE, '', 0, 0, (), (), (), (), None, 'p',
                    'camera', 0, 0)
NOISE = np.random.default_rng(0).integers(0, 255, (120, 160, 3), np.uint8)


def frame():
    return CameraFrame(0.0, NOISE, np.zeros((120, 160)), np.eye(3), Pose((1.0, 0.0, 0.5)))


def moving(add, period_s):
    for k in range(40):
        add(MotionSample(k * period_s, (0.1 * k,) * 7, 0.08, 0.0, {}))
    return lambda: None


def report(folder):
    write_whole(folder / 'report.html', 60_000 * '.' + '</html>\n')


def recorded(path):
    """Record a run with pictures and motion. What `finish` says is missing; '' if nothing is."""
    try:
        folder = RunFolder(path, frame=frame, trace=moving, reports=[report])
    except OSError as error:
        return str(error)
    said = []
    for event in (LOOK, PLAN, *[StateChanged('executing')] * 20, LOOK, END):
        try:
            folder.record(event)
        except NotWritten as error:
            said.append(error.why)
    try:
        folder.finish(RESULT)
    except NotWritten as error:
        return error.why
    assert not said  # what was lost on the way is not forgotten at the end
    return ''


def assert_whole(path):
    """Everything under the folder can be read to its end."""
    for file in (f for f in path.rglob('*') if f.is_file() and f.name != '.lock'):
        content = file.read_bytes()
        if file.suffix == '.jsonl':
            assert not content or content.endswith(b'\n')
            assert all(json.loads(line) for line in content.splitlines())
        elif file.suffix == '.json':
            json.loads(content)
        elif file.suffix == '.jpg':
            assert content.endswith(b'\xff\xd9')
        else:
            assert file.name == 'report.html' and content.endswith(b'</html>\n')


def assert_honest(path, missing):
    names = {f.name for f in path.iterdir()} if path.exists() else set()
    if not missing:
        assert {'events.jsonl', 'motion.jsonl', 'pictures', 'plans', 'result.json',
                'report.html'} <= names
    if 'result.json' in names:
        told = json.loads((path / 'result.json').read_text())['not_recorded']
        rest = missing.removeprefix(told).removeprefix('; ')
        assert missing.startswith(told)
        assert not rest or rest.startswith('report.html: ')  # lost after the result was written
    assert_whole(path)


@pytest.mark.parametrize('size', [0, 300, 1000, 3000, 6000, 9000, 20_000, 90_000])
def test_files_that_cannot_grow_are_whole_or_not_there_and_the_record_says_so(
        size, tmp_path, files_of_at_most):
    with files_of_at_most(size):
        missing = recorded(tmp_path / 'r')
    assert_honest(tmp_path / 'r', missing)
    assert bool(missing) == (size < 90_000)


@pytest.mark.parametrize('kilobytes', [4, 16, 24, 32, 48, 64, 80, 400])
def test_a_real_full_disk_leaves_whole_files_and_the_record_says_what_is_missing(
        kilobytes, tmp_path):
    (tmp_path / 'small').mkdir()
    mount = ['mount', '-t', 'tmpfs', '-o', f'size={kilobytes}k', 'tmpfs', tmp_path / 'small']
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip('mounting needs an administrator')
    try:
        missing = recorded(tmp_path / 'small' / 'r')
        assert_honest(tmp_path / 'small' / 'r', missing)
        assert bool(missing) == (kilobytes < 400)
    finally:
        subprocess.run(['umount', tmp_path / 'small'], check=True)


def test_a_report_that_cannot_be_written_is_missing_and_named(tmp_path, files_of_at_most):
    folder = RunFolder(tmp_path, frame=frame, reports=[report])
    folder.record(LOOK)
    folder.record(END)
    with files_of_at_most(6000), pytest.raises(NotWritten, match='report.html: File too large'):
        folder.finish(RESULT)
    assert not list(tmp_path.glob('report*'))
    written = json.loads((tmp_path / 'result.json').read_text())
    assert written['not_recorded'] == 'report.html: File too large' and written['success']


def test_a_camera_that_fails_leaves_a_complete_record_without_pictures(tmp_path):
    def broken():
        raise CameraError('no graphics')

    folder = RunFolder(tmp_path, frame=broken)
    folder.record(LOOK)
    folder.finish(RESULT)
    assert json.loads((tmp_path / 'result.json').read_text())['not_recorded'] == ''


def test_lines_that_did_not_fit_are_written_when_there_is_room_again(tmp_path, files_of_at_most):
    lines = LineFile(tmp_path / 'l')
    with files_of_at_most(25):
        for k in range(5):
            lines.add(f'line {k:04d}')
        with pytest.raises(NotWritten, match='File too large'):
            lines.flush()
        assert (tmp_path / 'l').read_text() == 'line 0000\nline 0001\n'
    lines.close()
    assert (tmp_path / 'l').read_text().splitlines() == [f'line {k:04d}' for k in range(5)]


def test_appended_lines_come_after_those_that_are_there(tmp_path, files_of_at_most):
    (tmp_path / 'l').write_text('one\n')
    lines = LineFile(tmp_path / 'l', append=True)
    lines.add('two')
    with files_of_at_most(5), pytest.raises(NotWritten):
        lines.close()
    assert (tmp_path / 'l').read_text() == 'one\n' and lines.closed


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, files_of_at_most):
    (tmp_path / 'f').write_text('earlier')
    with files_of_at_most(3), pytest.raises(NotWritten, match='f: cannot be written: File too'):
        write_whole(tmp_path / 'f', 'something new')
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [('f', 'earlier')]


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / 'target').write_text('old')
    (tmp_path / 'link').symlink_to('target')
    write_whole(tmp_path / 'link', 'new')
    assert (tmp_path / 'link').is_symlink() and (tmp_path / 'target').read_text() == 'new'


def test_a_pipe_gets_the_content_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / 'pipe')
    reader = os.open(tmp_path / 'pipe', os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / 'pipe', 'a line')
    assert os.read(reader, 100) == b'a line' and (tmp_path / 'pipe').is_fifo()
    os.close(reader)


def test_a_line_after_a_torn_one_is_whole(tmp_path):
    (tmp_path / 'people.jsonl').write_text('{"torn')
    lines = LineFile(tmp_path / 'people.jsonl', append=True)
    lines.add('{"b": 2}')
    lines.close()
    assert (tmp_path / 'people.jsonl').read_text() == '{"torn\n{"b": 2}\n'


def test_an_interrupt_while_the_report_is_written_leaves_the_result(tmp_path):
    def interrupted(path):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RunFolder(tmp_path, reports=[interrupted]).finish(RESULT)
    assert json.loads((tmp_path / 'result.json').read_text())['success']


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    (tmp_path / 'f').write_text('old')
    (tmp_path / 'f').chmod(0o600)
    write_whole(tmp_path / 'f', 'new')
    assert (tmp_path / 'f').stat().st_mode & 0o777 == 0o600


def test_what_is_written_to_standard_output_comes_between_what_is_printed(tmp_path):
    program = ('from pathlib import Path\n'
               'from replan_agent.text.file_bytes import write_whole\n'
               'print("before")\nwrite_whole(Path("/dev/stdout"), "table\\n")\nprint("after")')
    with open(tmp_path / 'log', 'wb') as log:
        subprocess.run([sys.executable, '-c', program], stdout=log, check=True)
    assert (tmp_path / 'log').read_text() == 'before\ntable\nafter\n'


def test_lines_that_a_device_does_not_take_are_one_kind_of_error():
    lines = LineFile(Path('/dev/full'))
    lines.add('a line')
    with pytest.raises(NotWritten, match='No space left'):
        lines.flush()


def test_lines_are_not_written_twice_after_an_interrupt(tmp_path):
    lines = LineFile(tmp_path / 'l')
    lines.add('a line')
    file = lines._file

    class Interrupted:
        def __getattr__(self, name):
            return getattr(file, name)

        def write(self, data):
            file.write(data)
            raise KeyboardInterrupt

    lines._file = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        lines.flush()
    lines._file = file
    lines.close()
    assert (tmp_path / 'l').read_text() == 'a line\n'
