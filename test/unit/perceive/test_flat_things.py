"""What stands on a flat thing is seen on it: the plate goes on below the cube that hides it."""

from __future__ import annotations

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.geometry.judging import judge, supports

from .synthetic import box, cylinder
from .test_colour_depth import seen

PLATE = box(0.5, 0.0, (0.14, 0.14, 0.008), colour='blue')


@pytest.mark.parametrize('thing', [
    box(0.5, 0.0, bottom=0.008), box(0.52, -0.03, yaw=0.4, bottom=0.008),
    cylinder(0.5, 0.01, colour='red', bottom=0.008)], ids=['middle', 'turned', 'round'])
def test_a_thing_on_a_thin_plate_is_on_it_and_not_on_the_table(thing):
    scene = seen(PLATE, thing)
    (red,) = (o for o in scene.movable() if o.colour == 'red')
    assert red.bottom_z == pytest.approx(0.008, abs=0.002)
    assert red.size == pytest.approx(thing.size, abs=0.003)
    assert [o.colour for o in supports(red, scene)] == ['blue']
    assert judge(Goal(Predicate.ON, red.name, 'table'), scene) is False


def test_a_thing_beside_a_thin_plate_stands_on_the_table():
    scene = seen(PLATE, box(0.5, 0.1))
    assert judge(Goal(Predicate.ON, 'red_cube', 'table'), scene) is True


def test_each_of_three_slabs_is_seen_on_the_next_one():
    slabs = [box(0.5, 0.0, (long, wide, 0.008), colour=colour, bottom=0.008 * level)
             for level, (colour, long, wide) in enumerate((
                 ('red', 0.14, 0.09), ('green', 0.11, 0.06), ('blue', 0.08, 0.03)))]
    scene = seen(*slabs)
    below = {o.colour: [s.colour or s.name for s in supports(o, scene)] for o in scene.movable()}
    assert below == {'red': ['table'], 'green': ['red'], 'blue': ['green']}
