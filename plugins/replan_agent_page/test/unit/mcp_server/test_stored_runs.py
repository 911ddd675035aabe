# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is told of an earlier run: its content, or one sentence, whatever is in its files."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('mcp.server.mcpserver', reason="pip install 'replan_agent_page[mcp]'")

from mcp.server.mcpserver.exceptions import ToolError  # noqa: E402
from replan_agent_page.mcp_server.arm_server import ArmTools  # noqa: E402

KEYS = ('task', 'success', 'approvals', 'steps', 'attempts', 'proofs', 'hints', 'goals', 'why',
        'skill', 'args', 'step', 'result', 'diagnosis', 'final_detail', 'not_recorded')
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (st.lists(inner, max_size=2)
                   | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)))


def told(content: bytes) -> list[dict[str, Any]]:
    """What both tools answer for a run with this result; a ToolError is an answer in words."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / 'r'
        run.mkdir()
        (run / 'result.json').write_bytes(content)
        tools = ArmTools(cast(Any, SimpleNamespace(job=lambda name: None, runs=Path(folder))))
        answers = []
        for call in (tools.task_status(cast(Any, None)), tools.why_did_it_fail()):
            try:
                answers.append(asyncio.run(call))
            except ToolError as error:
                assert 'result.json' in str(error) and '\n' not in str(error)
        return answers


@given(st.dictionaries(st.sampled_from(KEYS), anything, max_size=6))
def test_a_result_of_any_form_has_an_answer(result: dict[str, object]) -> None:
    for answer in told(json.dumps(result).encode()):
        assert answer['run'] == 'r' and json.dumps(answer)


@pytest.mark.parametrize('content', [b'', b'[]', b'{"success"', b'{"task": NaN}', b'\xff',
                                     b'{"approvals": 5}', b'{"attempts": [null]}'])
def test_a_damaged_result_is_named(content: bytes) -> None:
    assert len(told(content)) < 2
