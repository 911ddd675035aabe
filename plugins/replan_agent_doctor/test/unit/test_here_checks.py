# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent doctor` names what is wrong with a machine. The picture: test/sim."""

from __future__ import annotations

import sys
from importlib import metadata
from importlib.util import find_spec

import pytest
from replan_agent_doctor import here_checks, machine_checks
from replan_agent_doctor.findings import Verdict, found

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED


@pytest.mark.parametrize(('version', 'verdict'), [
    ((3, 9), Verdict.WRONG), ((3, 10), Verdict.OK), ((3, 13), Verdict.OK),
    ((3, 14), Verdict.NOT_CHECKED)])
def test_a_python_is_judged_by_what_was_tried(version, verdict):
    assert here_checks.python(version).verdict is verdict


def test_a_package_older_than_asked_for_is_named_with_what_is_needed(monkeypatch):
    right = machine_checks.versions()
    assert right.verdict is Verdict.OK
    assert f'numpy {metadata.version("numpy")}' in right.seen
    have = metadata.version
    monkeypatch.setattr(metadata, 'version',
                        lambda name: '3.9.1' if name == 'mujoco' else have(name))
    wrong = machine_checks.versions()
    assert wrong.verdict is Verdict.WRONG
    assert 'mujoco 3.9.1' in wrong.seen and wrong.do.startswith('install mujoco 3.17 or newer (')


def test_an_opencv_that_pip_does_not_know_counts_too(monkeypatch):
    have = metadata.version

    def without_opencv(name):
        if 'opencv' in name:
            raise metadata.PackageNotFoundError(name)
        return have(name)

    monkeypatch.setattr(metadata, 'version', without_opencv)
    assert machine_checks.versions().verdict is Verdict.OK


def test_a_folder_that_cannot_be_written_is_wrong(monkeypatch, tmp_path):
    assert machine_checks.disk(str(tmp_path / 'runs')).verdict is Verdict.OK
    assert list(tmp_path.iterdir()) == []

    def refused(dir):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr(machine_checks.tempfile, 'TemporaryFile', refused)
    finding = machine_checks.disk(str(tmp_path / 'runs'))
    assert finding.seen.endswith('runs: Permission denied') and '--out' in finding.do


def test_a_missing_font_is_no_error(monkeypatch):
    assert here_checks.font().verdict in (Verdict.OK, Verdict.NOT_CHECKED)
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    assert 'no captions' in here_checks.font().seen


@pytest.mark.skipif(find_spec('rclpy') is not None, reason='ROS 2 is here')
@pytest.mark.parametrize(('is_ok', 'status'), [(True, SUCCESS), (False, TASK_FAILED)])
def test_without_ros_the_cell_is_skipped_with_the_reason(is_ok, status, monkeypatch, capsys):
    monkeypatch.setattr(here_checks, 'picture',
                        lambda: found('picture', is_ok, 'as it is', 'install libegl1'))
    assert main(['doctor', '--ros', '--seconds', '1', '--ros-args', '-p', 'a:=1']) == status
    said = capsys.readouterr().out
    assert 'it is skipped: there is no module rclpy' in said
    assert ('-> install libegl1' in said) is not is_ok
