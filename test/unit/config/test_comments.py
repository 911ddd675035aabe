# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The comments of config/ros_sim.yaml are the descriptions that the settings have in the code."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

from replan_agent.domain.config import Config

FILE = Path(__file__).resolve().parents[3] / 'config' / 'ros_sim.yaml'


def words(text: str) -> str:
    return ' '.join(re.findall(r'\w+', text))


def comments(text: str) -> dict[str, list[str]]:
    """What stands above each key, by the key; a key may be in several sections."""
    found: dict[str, list[str]] = {}
    above: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith('#'):
            above.append(line)
            continue
        if key := re.match(r'(\w+):', line):
            found.setdefault(key[1], []).append(words(' '.join(above)))
        above = []
    return found


def settings(part: object) -> dict[str, str]:
    """The descriptions of all settings, by name."""
    found = {}
    for one in fields(part):
        value = getattr(part, one.name)
        found |= settings(value) if is_dataclass(value) else {one.name: one.metadata['help']}
    return found


def test_each_comment_says_what_the_setting_says():
    written, described = comments(FILE.read_text('utf-8')), settings(Config())
    both = described.keys() & written.keys()
    assert len(both) > 80
    assert [name for name in sorted(both)
            if not any(words(described[name]) in text for text in written[name])] == []


def test_a_comment_is_read_from_all_its_lines():
    text = '# --- Part\nvlm:\n  # one,\n  # two\n  mode: auto\n'
    assert comments(text) == {'vlm': ['Part'], 'mode': ['one two']}
