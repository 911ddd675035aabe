# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The documents do what they say: each page is followed, line by line, in an empty folder."""

from __future__ import annotations

import socket

import pytest
from doc_blocks import ROOT, WITH_COMMANDS, blocks, follow, page_needs

TUTORIALS = ROOT / 'docs' / 'tutorials'
PAGES = [page for page in WITH_COMMANDS if page.parent != TUTORIALS and not page_needs(page)
         and any(block.is_run for block in blocks(page))]
pytestmark = pytest.mark.gl
slow = pytest.mark.release  # test_all_commands parses the commands of every page in every run


@pytest.fixture
def ports():
    """Free ports in place of those that the pages name."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(('127.0.0.1', 0))
        two.bind(('127.0.0.1', 0))
        return {'8765': one.getsockname()[1], '8766': two.getsockname()[1]}


@pytest.mark.parametrize('page', [
    pytest.param(page, id=page.relative_to(ROOT).as_posix(),
                 marks=[] if page == ROOT / 'README.md' else [slow])
    for page in PAGES])
def test_the_commands_of_a_page_run(page, tmp_path, ports):
    follow(page, tmp_path, ports)


@slow
def test_a_newcomer_runs_a_task_in_a_scene_of_their_own(tmp_path, ports):
    said = follow(TUTORIALS / 'own_scene.md', tmp_path, ports)
    assert 'in(red_block, tray)' in said and 'the task succeeded' in said
    assert 'colour' in said and 'refused, as it should be' in said
    assert (tmp_path / 'runs' / 'look.png').is_file()


@slow
def test_a_newcomer_adds_a_skill_in_a_package_of_their_own(tmp_path, ports):
    said = follow(TUTORIALS / 'own_skill.md', tmp_path, ports)
    assert 'True plan_complete' in said and "nod({'times': 2})" in said
    assert 'times: 9 is greater than the maximum of 5' in said


@slow
def test_a_newcomer_plans_with_an_endpoint_of_their_own(tmp_path, ports):
    said = follow(TUTORIALS / 'own_endpoint.md', tmp_path, ports)
    assert said.count('final reason: plan_complete') == 3, said
    assert 'characters, without the pictures' in said
    assert (tmp_path / 'runs' / 'talk.json').is_file()


@slow
def test_a_newcomer_understands_a_failed_run(tmp_path, ports):
    page = TUTORIALS / 'failed_run.md'
    said = follow(page, tmp_path, ports)
    (verdict,) = [block.text for block in blocks(page) if block.language == 'text']
    for line in verdict.splitlines():
        assert line in said, 'the verdict is as the tutorial shows it'
    assert 'pick unreachable beyond_reach proved' in said
    assert said.rstrip().count('final reason: plan_complete') == 1, 'nearer, it works'


@slow
def test_a_newcomer_brings_an_arm_of_their_own(tmp_path, ports):
    said = follow(TUTORIALS / 'another_arm.md', tmp_path, ports)
    assert 'pick up the red cube: holding(red_cube)' in said and 'WRONG' not in said
    assert '90 degrees off: the fingers close along its x' in said
    assert 'refused, as it should be' in said
    assert 'final reason: plan_complete' in said and 'in(red_cube, bowl)' in said
    assert (tmp_path / 'runs' / 'check' / 'picked.png').is_file()


@slow
def test_a_newcomer_calibrates_a_camera(tmp_path, ports):
    said = follow(TUTORIALS / 'own_arm.md', tmp_path, ports)
    assert 'reprojection' in said
    assert (tmp_path / 'runs' / 'again.yaml').is_file()
