# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Malformed replies of a model that should point, drawn as those of a model that plans."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replan_agent_pointing.pointer import Pointed, read_reply
from test_malformed_replies import ENOUGH, PER_EXAMPLE, POINTING, a_body

from replan_agent.domain.chat import ModelError
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.vlm.reply import parse_reply


@pytest.mark.fuzz
def test_no_reply_of_a_model_that_should_point_crashes():
    """Each is a place in the picture, or an error that is short and can be written."""
    seen = {'replies': 0, 'places': 0, 'errors': set()}

    @settings(suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2 ** 64))
    def malformed(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(PER_EXAMPLE):
            seen['replies'] += 1
            try:
                found = read_reply(parse_reply(a_body(rng, POINTING)), 'the mug', 640, 480)
            except (ModelError, PerceptionError) as error:
                assert 0 < len(str(error).encode()) < 1500
                seen['errors'].add(type(error))
            else:
                assert isinstance(found, Pointed)
                assert 0 <= found.left <= found.right < 640
                assert 0 <= found.top <= found.bottom < 480
                seen['places'] += 1

    malformed()
    assert seen['replies'] >= ENOUGH and seen['places'] > ENOUGH / 100
    assert seen['errors'] == {ModelError, PerceptionError}
