# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drawn hand presses and stands otherwise than it says; one as it comes does not."""

from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_chance.drawn_errors import OwnHand
from replan_agent_chance.drawn_hand import Pressed, give_hand, pressed
from replan_agent_chance.measuring import spread
from replan_agent_chance.uncertainty import Uncertainty

from replan_agent import Simulation, load_config
from replan_agent.app.cli.main import main

ASKED_N = 40.0


def held_by(hand: OwnHand) -> tuple[Pressed, float]:
    """How it presses on the cube that it has picked up, and the width (m) that it says."""
    with Simulation('pick_cube', config=replace(load_config(), perception='ground_truth')) as sim:
        give_hand(sim.world, hand)
        assert sim.run('pick up the red cube').success
        return pressed(sim.world), sim.world.gripper_width


@pytest.mark.parametrize('hand', [
    OwnHand(1.0, 0.0, {}), OwnHand(0.5, 0.0, {}), OwnHand(1.3, 0.0015, {})])
def test_the_pads_press_with_the_share_that_was_drawn_and_the_motor_does_not_know(
        hand: OwnHand) -> None:
    found, width_m = held_by(hand)
    assert found.motor_n == pytest.approx(ASKED_N, rel=0.01)
    assert found.pads_n == pytest.approx([hand.share * ASKED_N] * 2, rel=0.02)
    assert found.beside_m == pytest.approx(hand.beside_m, abs=2e-4)
    assert width_m == pytest.approx(0.04, abs=0.002)


def test_the_spread_is_that_of_the_grasps() -> None:
    grasps = [Pressed((36.0, 44.0), 40.0, 0.001), Pressed((44.0, 36.0), 40.0, -0.001)]
    assert spread(grasps) == pytest.approx((0.1, 0.001))


def test_what_was_measured_is_told_in_short_and_is_a_file_to_name(
        tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    file = tmp_path / 'own.yaml'
    assert main(['measure-chance', 'properties', '--n', '1', '--out', str(file)]) == 0
    said, found = capsys.readouterr().out, Uncertainty.read(file)
    assert said.endswith(f'grip {found.grip:g}, fingers_m {found.fingers_m:g}\n')
    assert found.source == 'replan-agent measure-chance properties --n 1 --seed 0'
