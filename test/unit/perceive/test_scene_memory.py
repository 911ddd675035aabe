# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene memory: what stays when a look shows nothing, and for how long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import SceneMemoryConfig
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.geometry.out_of_sight import Sight
from replan_agent.perceive.scene_memory import SceneMemory

TABLE = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.04), Pose((0.5, 0, -0.02)), movable=False)
DOWN = Pose.from_rpy(0.5, 0.0, 0.2, roll=3.14159)
CONFIG = SceneMemoryConfig(hidden_keep_s=20, lost_after=30, look_timeout=5)


def cube(name='red_cube', x=0.5, seen_at=0.0):
    return SceneObject(name, Shape.BOX, (0.04,) * 3, Pose((x, 0.0, 0.02)), seen_at=seen_at)


def scene(*things, stamp=0.0, held=None, tcp=DOWN, width=0.08):
    arm = ArmSnapshot((0.0,) * 7, tcp, width, at_home=False)
    return Scene(f's{stamp}', stamp, (TABLE, *things), 'fake', arm, held)


class Scripted:
    """Answers with scenes, or raises, in turn; the last answer stays."""

    name, uses_model = 'fake', True

    def __init__(self, *answers):
        self.answers = list(answers)

    def observe(self, ctx):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def remembering(*answers, hidden=(), config=CONFIG):
    sight = Sight(is_hidden=lambda thing: thing.name in hidden) if hidden else None
    return SceneMemory(Scripted(*answers), config, sight, hand=PANDA.hand)


def look(memory, times=1, ctx=None):
    for _ in range(times):
        seen = memory.observe(ctx or Context())
    return seen


def test_fresh_objects_replace_what_was_remembered():
    memory = remembering(scene(cube(x=0.4), cube('blue_cube')), scene(cube(x=0.6), stamp=1.0))
    seen = look(memory, 2)
    assert seen.names() == ('table', 'red_cube') and not seen.stale
    assert seen.get('red_cube').position[0] == 0.6


@pytest.mark.parametrize('failure', [
    PerceptionError('it is dark'), DeadlineExceeded('slow'), scene(stamp=1.0),
], ids=['error', 'timeout', 'zero objects'])
def test_a_look_that_shows_nothing_keeps_the_last_scene_marked_stale_with_a_warning(failure):
    seen = look(remembering(scene(cube()), failure), 2)
    assert seen.stale and seen.get('red_cube') is not None
    assert len(seen.warnings) == 1 and 'keeping 1 objects' in seen.warnings[0]


def test_the_next_good_look_is_fresh_again():
    memory = remembering(scene(cube()), PerceptionError('dark'), scene(cube(x=0.6)))
    seen = look(memory, 3)
    assert not seen.stale and not seen.warnings


def test_an_empty_table_is_a_scene_when_nothing_was_there_before():
    assert not look(remembering(scene(), scene()), 2).stale


def test_without_any_scene_to_keep_the_error_comes_through():
    with pytest.raises(PerceptionError, match='no camera'):
        look(remembering(PerceptionError('no camera')))


def test_a_stamp_that_stays_the_same_while_time_passes_is_an_old_picture():
    time = [10.0]
    memory = SceneMemory(Scripted(scene(cube(), stamp=10.0)), CONFIG, robot_time=lambda: time[0])
    assert not look(memory).stale and not look(memory).stale  # the robot's time stands still
    time[0] = 12.0
    seen = look(memory)
    assert seen.stale and 'stamp is 10.000 s again, and 2.0 s have passed' in seen.warnings[0]


def test_a_newer_picture_ends_the_old_one():
    time = [10.0]
    memory = SceneMemory(Scripted(scene(cube(), stamp=10.0), scene(cube(), stamp=10.0),
                                  scene(cube(), stamp=12.5)), CONFIG, robot_time=lambda: time[0])
    look(memory)
    time[0] = 12.0
    assert look(memory).stale and not look(memory).stale


def test_a_cancelled_look_is_no_failed_look():
    token = CancelToken()
    memory = remembering(scene(cube()), DeadlineExceeded('slow'))
    look(memory)
    token.cancel()
    with pytest.raises(Cancelled):
        look(memory, ctx=Context(token))


def test_a_hidden_object_keeps_its_last_pose_and_its_age():
    memory = remembering(scene(cube(x=0.4), cube('bowl')), scene(cube('bowl'), stamp=20.0),
                         hidden=('red_cube',))
    kept = look(memory, 2).get('red_cube')
    assert kept == cube(x=0.4) and kept.seen_at == 0.0


def test_a_hidden_object_is_forgotten_after_a_while():
    memory = remembering(scene(cube(), cube('bowl')), scene(cube('bowl'), stamp=20.5),
                         hidden=('red_cube',))
    assert look(memory, 2).get('red_cube') is None


def test_an_object_that_nothing_hides_is_gone_at_once():
    memory = remembering(scene(cube(), cube('bowl')), scene(cube('bowl'), stamp=0.1))
    assert look(memory, 2).get('red_cube') is None


def test_what_is_held_and_not_seen_moves_with_the_gripper():
    there = DOWN.moved(dx=0.1, dz=0.3)
    memory = remembering(scene(cube(), cube('bowl'), held='red_cube', width=0.04),
                         scene(cube('bowl'), stamp=2.0, tcp=there, width=0.04))
    seen = look(memory, 2)
    assert seen.held == 'red_cube' and seen.get('red_cube').seen_at == 2.0
    assert seen.get('red_cube').position == pytest.approx((0.6, 0.0, 0.32))


def test_a_thin_thing_is_not_between_closed_pads():
    """It slipped out, and the pads moved less than a thick thing lets them play."""
    memory = remembering(scene(cube(), cube('bowl'), held='red_cube', width=0.0035),
                         scene(cube('bowl'), stamp=1.0, width=0.0))
    assert look(memory, 2).held is None


def test_what_was_held_and_the_camera_sees_past_is_not_in_the_hand():
    answers = Scripted(scene(cube(), cube('bowl'), held='red_cube', width=0.04),
                       scene(cube('bowl'), stamp=1.0, width=0.04))
    memory = SceneMemory(answers, CONFIG, Sight(sees_past=lambda thing: True))
    assert look(memory, 2).held is None


def test_what_was_held_stays_behind_when_the_pads_have_moved():
    memory = remembering(scene(cube(), cube('bowl'), held='red_cube', width=0.04),
                         scene(cube('bowl'), stamp=2.0, width=0.08))
    seen = look(memory, 2)
    assert seen.held is None and seen.get('red_cube') is None


def test_it_goes_by_the_name_of_the_perception_it_wraps():
    memory = remembering(replace(scene(), perception='fake'))
    assert (memory.name, memory.uses_model) == ('fake', True)


def test_a_scene_with_a_place_that_is_no_number_is_a_failed_look():
    odd = scene(cube(x=float('nan')), stamp=1.0)
    seen = look(remembering(scene(cube()), odd), 2)
    assert seen.stale and seen.get('red_cube').position[0] == 0.5
    assert 'red_cube is no number' in seen.warnings[-1]


@pytest.mark.parametrize(('tcp', 'width', 'is_failure'), [
    (DOWN, 0.04, False), (DOWN, 0.08, True), (DOWN, 0.0, True),
    (Pose.from_rpy(0.3, 0.3, 0.2, roll=3.14159), 0.04, True),
], ids=['taken', 'pads open', 'pads closed', 'hand elsewhere'])
def test_an_empty_table_is_a_scene_when_the_hand_may_have_taken_the_only_thing(tcp, width,
                                                                               is_failure):
    memory = remembering(scene(cube()), scene(stamp=1.0, tcp=tcp, width=width))
    assert look(memory, 2).stale is is_failure


def test_an_empty_table_is_a_failed_look_when_more_is_gone_than_the_hand_can_take():
    memory = remembering(scene(cube(), cube('blue_cube', 0.7)), scene(stamp=1.0, width=0.04))
    assert look(memory, 2).stale


def test_a_table_that_is_empty_in_two_looks_is_empty():
    memory = remembering(scene(cube()), scene(stamp=1.0), scene(stamp=2.0))
    seen = look(memory, 3)
    assert not seen.movable() and not seen.stale


def test_a_scene_in_which_the_arm_is_nowhere_is_a_failed_look():
    odd = scene(cube(), stamp=1.0, width=float('nan'))
    seen = look(remembering(scene(cube()), odd), 2)
    assert seen.stale and 'the arm is no number' in seen.warnings[-1]
