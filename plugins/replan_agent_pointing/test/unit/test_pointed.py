# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The model is asked for what colour cannot name, once, and again only when that is lost."""

from __future__ import annotations

import pytest
from replan_agent_pointing.pointed import PointedPerception, is_named
from replan_agent_pointing.pointer import ModelSilent
from synthetic import ball, box, cylinder, perception, picture

from replan_agent.domain.config import SceneMemoryConfig
from replan_agent.domain.context import (
    BudgetExhausted,
    Cancelled,
    CancelToken,
    Context,
    DeadlineExceeded,
)
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.geometry.out_of_sight import Sight
from replan_agent.perceive.scene_memory import SceneMemory

MUG = cylinder(0.5, 0.1, 0.06, 0.08, 'white')
LEMON = ball(0.45, -0.15, colour='yellow')
CUBE = box(0.55, -0.1)


class Pointer:
    """Points at the fit of a colour, whatever is asked; remembers what was."""

    model = 'scripted'

    def __init__(self, **colours):
        self.colours, self.asked = colours, []

    def find(self, description, shown, fits, stamp, ctx):
        ctx.spend_call(description)
        self.asked.append(description)
        colour = self.colours.get(description.split()[-1])
        for fit in fits:
            if fit.thing.colour == colour:
                return fit
        raise PerceptionError(f'the model does not see {description!r}')


def seeing(pointer, *frames, descriptions=('the mug',)):
    return PointedPerception(perception(*frames), pointer, descriptions, is_named)


def test_what_the_model_points_at_gets_the_name_and_the_rest_keep_theirs():
    pointer = Pointer(mug='white')
    scene = seeing(pointer, picture(MUG, CUBE)).observe(Context())
    assert set(scene.names()) == {'table', 'mug', 'red_cube'}
    assert scene.get('mug').position == pytest.approx(MUG.position, abs=0.003)
    assert scene.get('mug').colour == 'white' and scene.perception == 'camera_vlm'


def test_the_model_is_not_asked_for_what_colour_can_name():
    pointer = Pointer(mug='white')
    seen = seeing(pointer, picture(MUG, CUBE), descriptions=('the red cube', 'the mug', 'the mug'))
    seen.observe(Context())
    assert pointer.asked == ['the mug'] and seen.uses_model


def test_the_words_of_the_next_task_replace_those_that_were_never_found():
    pointer = Pointer(lemon='yellow')
    seen = seeing(pointer, *[picture(LEMON, CUBE)] * 3, descriptions=('the whisk',))
    seen.observe(Context())
    seen.look_for(['the lemon'])
    assert seen.observe(Context()).get('lemon')
    seen.look_for(['the sieve'])
    seen.look_for([])  # a task that names nothing
    assert seen.observe(Context()).get('lemon'), 'what was found keeps its name'
    assert pointer.asked == ['the whisk', 'the lemon']


def test_what_was_pointed_at_is_followed_without_asking_again():
    pointer = Pointer(mug='white')
    moved = cylinder(0.45, 0.0, 0.06, 0.08, 'white')
    seen = seeing(pointer, picture(MUG, CUBE), picture(moved, CUBE))
    seen.observe(Context())
    scene = seen.observe(Context())
    assert scene.get('mug').position == pytest.approx(moved.position, abs=0.003)
    assert pointer.asked == ['the mug']


def test_the_model_is_asked_again_when_the_thing_is_gone():
    pointer = Pointer(mug='white')
    seen = seeing(pointer, picture(MUG, CUBE), picture(CUBE), picture(MUG, CUBE))
    seen.observe(Context())
    without = seen.observe(Context())
    assert without.get('mug') is None and 'does not see' in without.warnings[0]
    assert seen.observe(Context()).get('mug') is not None
    assert pointer.asked == ['the mug'] * 2  # the third time the camera knew it again


def test_the_model_is_not_asked_for_what_is_only_hidden():
    pointer = Pointer(mug='white')
    screen = box(0.62, 0.17, (0.02, 0.3, 0.3), 0.55, 'blue')
    seen = seeing(pointer, picture(MUG, CUBE), picture(MUG, CUBE, screen))
    memory = SceneMemory(seen, SceneMemoryConfig(), Sight(seen._seen.is_hidden))
    memory.observe(Context())
    scene = memory.observe(Context())
    assert pointer.asked == ['the mug'] and scene.warnings == ()
    assert scene.get('mug').position == pytest.approx(MUG.position, abs=0.003)


def test_what_the_model_does_not_see_is_a_warning_and_the_rest_is_seen():
    scene = seeing(Pointer(), picture(MUG, CUBE)).observe(Context())
    assert set(scene.names()) == {'table', 'white_cylinder', 'red_cube'}
    assert scene.warnings == ("the model does not see 'the mug'",)


def test_one_thing_does_not_get_two_names():
    seen = seeing(Pointer(mug='white', vase='white'), picture(MUG, CUBE),
                  descriptions=('the mug', 'the vase'))
    scene = seen.observe(Context())
    assert set(scene.names()) == {'table', 'mug', 'red_cube'}
    assert scene.warnings == ("the model points at mug for 'the vase' too",)


def test_two_things_are_pointed_at_in_one_look():
    scene = seeing(Pointer(mug='white', lemon='yellow'), picture(MUG, LEMON, CUBE),
                   descriptions=('the mug', 'the lemon')).observe(Context())
    assert set(scene.names()) == {'table', 'mug', 'lemon', 'red_cube'}


def test_a_description_that_held_once_is_not_asked_for_when_the_task_changes_that():
    """"the ball on the cube" is the ball still, after it was taken down."""
    pointer = Pointer()
    on_cube = box(0.5, 0.0, (0.03,) * 3, colour='blue', bottom=0.04)
    seen = seeing(pointer, picture(box(0.5, 0.0), on_cube), picture(box(0.5, 0.0)),
                  descriptions=('the blue cube on the red cube',))
    seen.observe(Context())
    seen.observe(Context())
    assert pointer.asked == []


def test_a_spent_budget_ends_the_look():
    def spent(what):
        raise BudgetExhausted(f'{what} needs another')

    with pytest.raises(BudgetExhausted, match='the mug'):
        seeing(Pointer(mug='white'), picture(MUG)).observe(Context(spend_call=spent))


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


class Slow(Pointer):
    """Answers only after `takes_s`; a question that has less time ends with its deadline."""

    def __init__(self, clock, takes_s, **colours):
        super().__init__(**colours)
        self.clock, self.takes_s = clock, takes_s

    def find(self, description, shown, fits, stamp, ctx):
        self.clock.now_s += min(self.takes_s, ctx.remaining_s())
        self.asked.append(description)
        ctx.check()
        return super().find(description, shown, fits, stamp, ctx)


def test_a_model_that_is_too_slow_is_a_warning_and_what_the_camera_sees_stays():
    clock = Clock()
    ctx = Context(now=clock, deadline=110.0)
    scene = seeing(Slow(clock, 60.0), picture(MUG, CUBE)).observe(ctx)
    assert set(scene.names()) == {'table', 'white_cylinder', 'red_cube'}
    assert scene.warnings == ("scripted gave no answer about 'the mug' within 9.0 s",)
    ctx.check()  # there is time left to tell it


def test_a_slow_model_is_left_alone_for_as_long_as_it_was_waited_for():
    clock = Clock()
    pointer = Slow(clock, 60.0)
    seen = seeing(pointer, *[picture(MUG, CUBE)] * 3, descriptions=('the mug', 'the cup'))
    scene = seen.observe(Context(now=clock, deadline=110.0))
    assert pointer.asked == ['the mug'] and "not asked about 'the cup'" in scene.warnings[1]
    seen.observe(Context(now=clock).within(10.0))
    assert pointer.asked == ['the mug']
    clock.now_s += 9.0
    seen.observe(Context(now=clock).within(10.0))
    assert pointer.asked == ['the mug'] * 2


def test_a_model_whose_endpoint_timed_out_is_left_alone_too():
    clock = Clock()

    class TimedOut(Pointer):
        def find(self, description, *rest):
            self.asked.append(description)
            clock.now_s += 5.0
            raise ModelSilent('timeout')

    pointer = TimedOut()
    seen = seeing(pointer, picture(MUG, CUBE), descriptions=('the mug', 'the cup'))
    scene = seen.observe(Context(now=clock))
    assert pointer.asked == ['the mug'] and 'within 5.0 s' in scene.warnings[0]


def test_the_callers_own_deadline_ends_the_look_before_the_model_is_asked():
    clock = Clock()
    seen, pointer = perception(picture(MUG)), Slow(clock, 1.0)

    class Late:
        def observe(self, ctx):
            clock.now_s += 20.0
            return seen.observe(Context())

    late = PointedPerception(Late(), pointer, ('the mug',), is_named)
    with pytest.raises(DeadlineExceeded):
        late.observe(Context(now=clock, deadline=110.0))
    assert pointer.asked == []


def test_a_cancel_while_the_model_is_asked_ends_the_look():
    token = CancelToken()

    class Cancels(Pointer):
        def find(self, description, shown, fits, stamp, ctx):
            token.cancel()
            ctx.check()

    with pytest.raises(Cancelled):
        seeing(Cancels(), picture(MUG)).observe(Context(token))
