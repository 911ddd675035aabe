# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Twins in real physics: the same seed tells the same, and larger errors fail more often."""

from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_chance.chance_rehearsal import ChanceTeller
from replan_agent_chance.sampled_twin import Trial, run_twin
from replan_agent_chance.tell_command import Asked
from replan_agent_chance.uncertainty import Uncertainty

from replan_agent import Simulation, load_config
from replan_agent.domain.config import Config
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.robot.mujoco.world import World

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


def test_a_proof_of_a_twin_is_about_what_is_seen_and_not_about_what_was_drawn(
        trial: Trial) -> None:
    heavy = run_twin(replace(trial, known=replace(SURE, density=(80_000.0,))), 0)
    assert heavy.failure == 'too_heavy' and heavy.proof == ''
    wide = replace(trial.scene, objects=tuple(
        replace(o, size=(0.1, 0.1, 0.04)) if o.name == 'red_cube' else o
        for o in trial.scene.objects))
    found = run_twin(replace(trial, scene=wide), 0)
    assert found.failure == 'too_wide' and 'too wide for a gripper' in found.proof


@pytest.fixture
def unsure(tmp_path: Path, trial: Trial) -> Config:
    """Settings with a perception that is so unsure that the plan often fails."""
    (tmp_path / 'unsure.yaml').write_text('own_m: 0.015\nfriction: [0.8]\ndensity: [900.0]\n')
    agent = replace(trial.config.agent, chance=str(tmp_path / 'unsure.yaml'))
    return replace(trial.config, agent=agent)


def test_the_same_seed_tells_the_same_with_any_number_of_processes(
        unsure: Config, trial: Trial) -> None:
    alone = ChanceTeller(unsure, most=2, seed=1)
    told = alone.tell(trial.plan, trial.scene)
    assert told.twins == 2
    assert told == replace(alone, jobs=2).tell(trial.plan, trial.scene)
    draws = [run_twin(replace(trial, known=UNSURE, seed=seed), 0).draws for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_a_firmer_grip_is_told_where_a_heavy_and_slippery_thing_slips(
        tmp_path: Path, trial: Trial) -> None:
    (tmp_path / 'greasy.yaml').write_text('friction: [0.04]\ndensity: [5469.0]\n')
    agent = replace(trial.config.agent, chance=str(tmp_path / 'greasy.yaml'))
    greasy = ChanceTeller(replace(trial.config, agent=agent), most=1, changes=True)
    failure, = greasy.tell(trial.plan, trial.scene).failures
    assert 'slipped' in failure.what and 'force=60' in failure.change and failure.still == 0


def test_a_stop_ends_the_twin_that_runs_and_no_other_begins(
        unsure: Config, trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, steps, after = CancelToken(), 0, 0
    step, most = World.step, 0.5  # s in the twin

    def counted(world: World, count: int = 1) -> None:
        nonlocal steps, after
        steps, after = steps + count, after + count if stop.cancelled else 0
        if steps * world.timestep > 1.0:  # in the middle of a motion
            stop.cancel('stop')
        assert after * world.timestep < most
        step(world, count)

    monkeypatch.setattr(World, 'step', counted)
    with pytest.raises(Cancelled, match='stop'):
        ChanceTeller(unsure).tell(trial.plan, trial.scene, Context(stop))
    assert stop.cancelled
