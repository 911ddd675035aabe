# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""All texts are plain English and speak only of what is in the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = r"the seeds?'|the_seeds_|\bseed 00|\b(?-i:DESIGN)\b"
ARCHAIC = (r'(?<![a-z])(to be had|can(not)? be had|who was to|anew|whence|thereof|lest|'
           r'is none of|shall)(?![a-z])')  # in names, too
NOT_OURS = {'LICENSE', 'test/unit/test_words.py'}
# What people say and write to the arm, word for word.
SPOKEN = {'config/sentences/people_second.txt', 'config/sentences/spoken_fourth.txt',
          'replan_agent/english/lexicon.txt'}


def tracked_texts() -> list[str]:
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip('not a git checkout')
    names = listed.stdout.decode().split('\0')
    return [name for name in names if name not in NOT_OURS and is_text(ROOT / name)]


def is_text(path: Path) -> bool:
    return path.is_file() and b'\0' not in path.read_bytes()[:1024]


def found(pattern: str) -> dict[str, str]:
    """Each file with the first line that matches, as `number: line`."""
    lines = {}
    for name in tracked_texts():
        text = (ROOT / name).read_text(encoding='utf-8', errors='replace')
        if match := re.search(pattern, text, re.IGNORECASE):
            number = text.count('\n', 0, match.start()) + 1
            lines[name] = f'{number}: {text.splitlines()[number - 1].strip()}'
    return lines


def test_nothing_cites_a_document_that_is_not_here():
    assert not found(OUTSIDE)


def test_only_what_people_say_to_the_arm_has_archaic_phrases():
    assert found(ARCHAIC).keys() == SPOKEN
