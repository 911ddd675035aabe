# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Patient perception: looks again until a look shows something, and then gives up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.port_errors import PerceptionError, PerceptionGone
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.perceive.patient import PatientPerception

SEEN = Scene('s', 1.0, (), 'fake')
STALE = replace(SEEN, stale=True, warnings=('it is dark',))
NO_TIME = Context(now=lambda: 0.0)  # a look takes no time: only the pauses count


class Eyes:
    """Sees nothing before robot time `until`, which passes only in pauses."""

    name, uses_model = 'fake', False

    def __init__(self, until: float, blind: Scene | PerceptionError = STALE) -> None:
        self.until, self.blind = until, blind
        self.time, self.looks = 0.0, 0

    def observe(self, ctx: Context) -> Scene:
        self.looks += 1
        if self.time >= self.until:
            return SEEN
        if isinstance(self.blind, PerceptionError):
            raise self.blind
        return self.blind

    def pause(self, seconds: float, ctx: Context) -> None:
        ctx.check()
        self.time += seconds

    def patient(self, lost_after_s: float = 30.0) -> PatientPerception:
        return PatientPerception(self, lost_after_s, self.pause)


@pytest.mark.parametrize('blind', [STALE, PerceptionError('no picture')], ids=['stale', 'error'])
def test_it_looks_again_in_the_robots_time_until_something_is_seen(blind):
    eyes = Eyes(20.0, blind)
    scene = eyes.patient().observe(Context())
    assert not scene.stale and 20.0 <= eyes.time < 30.0
    assert f'{eyes.looks - 1} looks failed before this one' in scene.warnings[0]


@pytest.mark.parametrize(('seconds', 'is_told'), [(20.0, True), (0.5, False)])
def test_who_waits_is_told_why_nothing_is_seen_unless_that_passes_at_once(seconds, is_told):
    said = []
    Eyes(seconds).patient().observe(replace(NO_TIME, report=said.append))
    assert set(said) == ({'looks again, for up to 30s: it is dark'} if is_told else set())


def test_a_look_that_succeeds_at_once_gives_the_scene_as_it_is():
    eyes = Eyes(0.0)
    assert eyes.patient().observe(Context()) is SEEN and eyes.time == 0.0


def test_nobody_to_look_is_told_at_once():
    eyes = Eyes(20.0, PerceptionGone('perception_node fell silent'))
    with pytest.raises(PerceptionGone, match='perception_node fell silent'):
        eyes.patient().observe(Context())
    assert (eyes.looks, eyes.time) == (1, 0.0)


def test_after_lost_after_it_gives_up_and_says_why():
    eyes = Eyes(31.0)
    with pytest.raises(PerceptionError, match='for 30s .lost_after=30s.: it is dark'):
        eyes.patient().observe(NO_TIME)
    assert eyes.time == pytest.approx(30.0)


def test_what_a_look_takes_by_the_clock_is_not_added_to_what_passes_for_the_robot():
    eyes = Eyes(1000.0)
    with pytest.raises(PerceptionError, match='for 30s'):
        eyes.patient().observe(Context(now=lambda: 2.0 * eyes.looks))
    assert eyes.time == pytest.approx(30.0)


def test_looks_that_take_long_by_the_clock_are_given_up_too():
    eyes = Eyes(1000.0)
    with pytest.raises(PerceptionError, match=r'for 40s .lost_after=30s.'):
        eyes.patient().observe(Context(now=lambda: 20.0 * eyes.looks))
    assert eyes.looks == 2


def test_after_it_gave_up_each_look_is_tried_once_until_one_succeeds():
    eyes = Eyes(100.0)
    patient = eyes.patient()
    for _ in range(2):
        with pytest.raises(PerceptionError):
            patient.observe(NO_TIME)
    assert eyes.time == pytest.approx(30.0)
    eyes.until = 0.0
    assert patient.observe(Context()) is SEEN
    eyes.until = 40.0
    assert not patient.observe(Context()).stale


def test_with_lost_after_zero_the_first_failed_look_is_the_last():
    eyes = Eyes(1.0)
    with pytest.raises(PerceptionError):
        eyes.patient(0.0).observe(Context())
    assert eyes.looks == 1


def test_a_cancel_ends_the_looking():
    token, eyes = CancelToken(), Eyes(20.0)

    def pause(seconds: float, ctx: Context) -> None:
        token.cancel()
        ctx.check()

    with pytest.raises(Cancelled):
        PatientPerception(eyes, 30.0, pause).observe(Context(token))
    assert eyes.looks == 1


def test_the_name_is_the_one_that_a_look_gave():
    eyes = Eyes(0.0)
    patient = eyes.patient()
    eyes.name = 'ground_truth'
    assert patient.name == 'ground_truth'


def test_what_the_fingers_did_not_find_is_in_no_scene_until_a_look_shows_it():
    cube, ball = (SceneObject(name, Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.02)), seen_at=1.0)
                  for name in ('red_cube', 'ball'))

    class Believing(Eyes):
        def observe(self, ctx: Context) -> Scene:
            self.time += 1.0  # the ball is always seen, the cube in the third look again
            seen = replace(cube, seen_at=1.0 if self.time < 3.0 else self.time)
            return Scene('s', self.time, (seen, replace(ball, seen_at=self.time)), 'fake')

    patient = Believing(0.0).patient()
    patient.observe(Context())
    patient.forget('red_cube')
    assert [patient.observe(Context()).names() for _ in range(3)] == [
        ('ball',), ('red_cube', 'ball'), ('red_cube', 'ball')]
