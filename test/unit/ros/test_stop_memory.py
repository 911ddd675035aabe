# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stop that outlives the node."""

from __future__ import annotations

from pathlib import Path

from replan_agent.ros.safety.stop_memory import StopMemory


def test_a_stop_is_recalled_until_it_is_forgotten(tmp_path: Path) -> None:
    assert StopMemory(str(tmp_path / 'new'), '/left/skill_node').keep('a reflex') == ''
    again = StopMemory(str(tmp_path / 'new'), '/left/skill_node')
    assert again.recall() == 'a reflex'
    assert StopMemory(str(tmp_path / 'new'), '/right/skill_node').recall() == ''
    assert again.keep('') == again.recall() == '' == again.keep('')


def test_what_cannot_be_read_counts_as_a_stop(tmp_path: Path) -> None:
    (tmp_path / 'skill_node.stopped').mkdir()
    memory = StopMemory(str(tmp_path), '/skill_node')
    assert 'cannot be read' in memory.recall()
    assert 'will forget' in memory.keep('a stop') and 'will recall' in memory.keep('')
    other = tmp_path / 'other.stopped'
    other.write_bytes(b'\xff\xfe')
    assert 'cannot be read' in StopMemory(str(tmp_path), '/other').recall()
    other.write_text('')
    assert 'contains no reason' in StopMemory(str(tmp_path), '/other').recall()


def test_without_a_folder_nothing_is_kept() -> None:
    memory = StopMemory('', '/skill_node')
    assert (memory.keep('a stop'), memory.recall(), memory.keep('')) == ('', '', '')
