# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decision after a local action, in its fixed order."""

from __future__ import annotations

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.local_planning import Decision
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.replan.local.decision import Visit, decide, same_state


def at(x: float, held: str | None = None) -> Scene:
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((x, 0.0, 0.02)))
    return Scene('s', 0.0, (cube,), 'fake', held=held, hand=PANDA.hand)


def visit(option: str, before: float, after: float, progress: float) -> Visit:
    return Visit(option, at(before), at(after), progress)


def test_a_met_goal_is_success_even_on_a_loop():
    history = [visit('a', 0.4, 0.5, -1), visit('b', 0.5, 0.4, 1)]
    assert decide(history, met=True, options_left=True)[0] is Decision.SUCCESS


def test_one_way_back_to_an_earlier_state_is_no_loop_and_the_third_is():
    there, back = visit('a', 0.4, 0.5, 1), visit('b', 0.5, 0.4, -1)
    assert decide([there, back], met=False, options_left=True)[0] is Decision.EXPLORE
    again = [there, back, there, back]
    assert decide(again, met=False, options_left=True)[0] is Decision.EXPLORE
    assert decide([*again, there], met=False, options_left=True)[0] is Decision.CANCEL


def test_the_same_option_again_without_effect_is_a_loop():
    history = [visit('a', 0.4, 0.4, 0), visit('a', 0.4, 0.4, 0)]
    assert decide(history, met=False, options_left=True)[0] is Decision.CANCEL


def test_another_option_without_effect_is_not_a_loop():
    history = [visit('a', 0.4, 0.4, 0), visit('b', 0.4, 0.4, 0)]
    assert decide(history, met=False, options_left=True)[0] is Decision.EXPLORE


def test_three_regressions_in_a_row_cancel_and_two_do_not():
    worse = [visit(str(k), 0.4 + k / 10, 0.5 + k / 10, -1) for k in range(3)]
    assert decide(worse[:2], met=False, options_left=True)[0] is Decision.EXPLORE
    assert decide(worse, met=False, options_left=True)[0] is Decision.CANCEL
    mixed = [worse[0], visit('x', 0.5, 0.6, 0.5), *worse[1:]]
    assert decide(mixed[:3], met=False, options_left=True)[0] is Decision.EXPLORE


@pytest.mark.parametrize('left', [True, False])
@pytest.mark.parametrize('progress', [0.6, 0.5, 0.06])
def test_all_progress_is_retained(progress, left):
    decision, why = decide([visit('a', 0.4, 0.5, progress)], False, left)
    assert decision is Decision.RETAIN and why == f'progress +{progress:.1f}'


def test_an_action_that_went_as_imagined_on_a_path_is_retained_even_if_the_score_falls():
    worse = [visit('a', 0.4, 0.5, -0.5)]
    assert decide(worse, met=False, options_left=True, on_path=True)[0] is Decision.RETAIN


def test_a_wrong_menu_is_left_and_the_shortcut_is_explored():
    """The three iterations of the first example: 2.0, 3.5, 2.0, 10.0."""
    main, menu, dialog = 0.1, 0.2, 0.3
    history = [visit('click Add Files', main, menu, 1.5)]
    assert decide(history, False, True)[0] is Decision.RETAIN
    history.append(visit('click elsewhere', menu, main, -1.5))
    assert decide(history, False, True)[0] is Decision.EXPLORE
    history.append(visit('Ctrl+O', main, dialog, 8.0))
    assert decide(history, True, True)[0] is Decision.SUCCESS


def test_a_wrong_dialog_is_a_dead_end_that_is_reverted_and_the_menu_is_opened_again():
    """The six iterations of the second example: 1.0, 4.0, 3.0, 3.0, 1.0, 4.0, 10.0."""
    main, tools, export, settings = 0.1, 0.2, 0.3, 0.4
    history = [visit('Tools', main, tools, 3.0)]
    assert decide(history, False, True)[0] is Decision.RETAIN
    history.append(visit('Export', tools, export, -1.0))
    assert decide(history, False, True)[0] is Decision.EXPLORE
    history.append(visit('other type', export, export, 0.0))
    assert decide(history, False, True)[0] is Decision.EXPLORE
    history.append(visit('Cancel', export, main, -2.0))
    assert decide(history, False, False)[0] is Decision.REVERT
    history.pop()
    history.append(visit('Tools', main, tools, 3.0))
    assert decide(history, False, True)[0] is Decision.RETAIN
    history.append(visit('Settings', tools, settings, 6.0))
    assert decide(history, True, True)[0] is Decision.SUCCESS


def test_without_progress_untried_options_are_explored_and_a_dead_end_is_reverted():
    history = [visit('a', 0.4, 0.5, -0.5)]
    assert decide(history, met=False, options_left=True)[0] is Decision.EXPLORE
    assert decide(history, met=False, options_left=False)[0] is Decision.REVERT


def test_states_differ_by_place_and_by_what_is_held():
    assert same_state(at(0.4), at(0.405)) and not same_state(at(0.4), at(0.42))
    assert not same_state(at(0.4), at(0.4, held='cube'))
