"""Twins in real physics: the same seed tells the same, and larger errors fail more often."""

from dataclasses import replace

import pytest
from replan_agent_chance.sampled_twin import Trial, run_twin
from replan_agent_chance.tell_command import Asked
from replan_agent_chance.uncertainty import Uncertainty

from replan_agent import Simulation, load_config

SURE = Uncertainty(friction=(0.8,), density=(900.0,))
UNSURE = replace(SURE, own_m=0.03)


@pytest.fixture(scope='module')
def trial() -> Trial:
    asked = Asked()
    with Simulation('pick_cube', approver=asked) as sim:
        result = sim.run('pick up the red cube')
        assert sim.world.time == 0.0  # nothing has moved
    request, = asked.request
    return Trial(load_config(), replace(request.plan, goals=result.goals), request.scene, SURE)


def test_a_plan_that_is_seen_rightly_works_in_every_twin(trial: Trial) -> None:
    assert [run_twin(trial, number).failure for number in range(2)] == ['', '']


def test_a_plan_that_is_seen_wrongly_fails_in_some_and_again_in_the_same(trial: Trial) -> None:
    unsure = replace(trial, known=UNSURE)
    found = [run_twin(unsure, number) for number in range(4)]
    assert not all(one.worked for one in found)
    assert found == [run_twin(unsure, number) for number in range(4)]
    assert all(one.draws['where red_cube is'] > 0 for one in found)
