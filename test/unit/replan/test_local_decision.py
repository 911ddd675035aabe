"""The decision after a local action, in its fixed order."""

from __future__ import annotations

from replan_agent.domain.local_planning import Decision
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.replan.local.decision import Visit, decide, same_state


def at(x: float, held: str | None = None) -> Scene:
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((x, 0.0, 0.02)))
    return Scene('s', 0.0, (cube,), 'fake', held=held)


def visit(option: str, before: float, after: float, progress: float) -> Visit:
    return Visit(option, at(before), at(after), progress)


def test_a_met_goal_is_success_even_on_a_loop():
    history = [visit('a', 0.4, 0.5, -1), visit('b', 0.5, 0.4, 1)]
    assert decide(history, met=True, options_left=True)[0] is Decision.SUCCESS


def test_a_way_back_to_an_earlier_state_is_a_loop_and_cancels():
    history = [visit('a', 0.4, 0.5, 1), visit('b', 0.5, 0.4, 1)]
    assert decide(history, met=False, options_left=True)[0] is Decision.CANCEL


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


def test_progress_is_retained_whether_or_not_options_are_left():
    for left in (True, False):
        assert decide([visit('a', 0.4, 0.5, 0.3)], False, left)[0] is Decision.RETAIN


def test_without_progress_untried_options_are_explored_and_a_dead_end_is_reverted():
    history = [visit('a', 0.4, 0.5, -0.5)]
    assert decide(history, met=False, options_left=True)[0] is Decision.EXPLORE
    assert decide(history, met=False, options_left=False)[0] is Decision.REVERT


def test_states_differ_by_place_and_by_what_is_held():
    assert same_state(at(0.4), at(0.405)) and not same_state(at(0.4), at(0.42))
    assert not same_state(at(0.4), at(0.4, held='cube'))
