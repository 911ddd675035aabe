# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fields of our messages without a fixed shape: few, and each with its reason in the docs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FIELD = re.compile(r'^string (\w+_json)\b *(#.*)?$', re.MULTILINE)


def test_each_field_of_json_says_what_it_is_where_it_stands_and_why_in_the_docs() -> None:
    found = [(file.name, *field.groups()) for kind in ('action', 'msg', 'srv')
             for file in sorted((ROOT / 'interfaces').glob(f'*/{kind}/*.{kind}'))
             for field in FIELD.finditer(file.read_text('utf-8'))]
    assert [one for one in found if not one[2]] == [], 'without a comment'
    reasons = re.findall(r'^\| `(\w+_json)`[^|]*\| \w+', (ROOT / 'docs' / 'ros.md').read_text(
        'utf-8'), re.MULTILINE)
    assert sorted(reasons) == sorted({name for _, name, _ in found})
