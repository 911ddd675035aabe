# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The environment in the embedded world."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from replan_agent_trouble import Claim, Episode, Trouble
from replan_agent_trouble.baselines import run_ours
from replan_agent_trouble.command import MOVED_M
from replan_agent_trouble.stage import world_named
from replan_agent_trouble.twins import TWINS

from replan_agent import ConfigError, load_config

SMALL = (32, 24)


@pytest.mark.gl
@pytest.mark.parametrize('control', ['tool', 'joints'])
def test_it_is_a_gymnasium_environment(control: str) -> None:
    from gymnasium.utils.env_checker import check_env

    env = Trouble('tabletop', 'heavy', 5, control=control, picture=SMALL,
                  render_mode='rgb_array')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        warnings.filterwarnings('ignore', message='.*observation space (minimum|maximum) value')
        warnings.filterwarnings('ignore', message='.*Not able to test alternative render modes')
        check_env(env, skip_close_check=True)
    env.close()


@pytest.mark.gl
def test_a_policy_that_steers_the_tool_meets_the_trouble_and_gives_up() -> None:
    """It goes down on the cube as it is seen at first; the cube is put out of reach then."""
    env = Trouble('tabletop', 'moved_mid_pick', 7, solvable=False, picture=SMALL)
    seen, _ = env.reset()
    x, y, z = env.episode.stage.case.objects[0].position[:2] + (0.05,)
    for _ in range(120):
        away = np.array([x, y, z]) - seen['tool'][:3, 3]
        away[2] = away[2] if np.hypot(*away[:2]) < 0.02 else 0.0
        action = np.r_[np.clip(away / MOVED_M, -1, 1), 0, 0, 0, -1]
        seen, reward, over, late, info = env.step(action)
        assert (reward, over, late, info) == (0.0, False, False, {})
    score = env.give_up('out_of_reach')
    _, reward, over, _, info = env.step(env.action_space.sample())
    env.close()
    assert score.met and score.right and score.cause_right and not score.false_claim
    assert (reward, over, info['score'], score.motions) == (1.0, True, score, 120)
    with pytest.raises(RuntimeError, match='has ended'):
        env.report('moved')


@pytest.mark.gl
@pytest.mark.parametrize('trouble', ['heavy', 'moved_mid_pick', 'place_taken', 'boxed_in'])
def test_the_pictures_of_both_twins_are_the_same_at_first(trouble: str) -> None:
    first = []
    for solvable in (True, False):
        env = Trouble('tabletop', trouble, 4, solvable, picture=(160, 120))
        first.append(env.reset()[0]['image'].astype(int))
        env.close()
    differs = np.abs(first[0] - first[1]).max(axis=2) > 8
    assert differs.mean() < 0.001  # a pixel at an edge may: what is loose has settled


@pytest.mark.parametrize(('trouble', 'solvable'), [
    ('moved_mid_pick', True), ('moved_mid_pick', False), ('dropped', True), ('wide', False)])
def test_our_agent_is_scored_like_any_other(trouble: str, solvable: bool) -> None:
    with Episode('tabletop', trouble, 3, solvable) as episode:
        score = run_ours(load_config(None), 'whole', episode)
    assert score.right and score.cause_right and score.met
    assert score.claim is (Claim.DONE if solvable else Claim.IMPOSSIBLE)


def test_wrong_names_are_answered_with_the_right_ones() -> None:
    with pytest.raises(ConfigError, match='tabletop'):
        world_named('kitchen_sink')
    with pytest.raises(ConfigError, match=TWINS[1].name):
        Episode('tabletop', 'bad_luck')
    with pytest.raises(ConfigError, match='no unsolvable twin'):
        Episode('tabletop', 'nothing', solvable=False)
