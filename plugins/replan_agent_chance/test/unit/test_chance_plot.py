# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The picture of how right chances were."""

import pytest
from replan_agent_chance.chance_numbers import ChanceOutcome
from replan_agent_chance.chance_plot import draw

from replan_agent.domain.config import ConfigError

OUTCOMES = [ChanceOutcome('pick', seed, seed % 3 > 0, '', True, '', '', chance=seed / 10)
            for seed in range(10)]


def test_the_picture_is_drawn(tmp_path) -> None:
    draw(tmp_path / 'chance.png', OUTCOMES)
    assert (tmp_path / 'chance.png').read_bytes().startswith(b'\x89PNG')


def test_a_wrong_kind_of_picture_is_refused_with_the_right_ones(tmp_path) -> None:
    with pytest.raises(ConfigError, match='.png, .svg, .pdf'):
        draw(tmp_path / 'chance.txt', OUTCOMES)
