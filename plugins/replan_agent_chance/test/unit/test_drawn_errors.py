# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors are drawn once for a world, and undone exactly when a twin is made."""

import numpy as np
import pytest
from replan_agent_chance.drawn_errors import DrawnErrors, UnsurePerception, truly
from replan_agent_chance.measuring import Seen, deviations
from replan_agent_chance.sampled_twin import TICK_S, TwinClock
from replan_agent_chance.uncertainty import Uncertainty

from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

UNSURE = Uncertainty(common_m=0.004, own_m=0.006, look_m=0.001, yaw_rad=0.06, size_m=0.001,
                     friction=(0.1, 0.9), density=(100.0, 1000.0))
CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
OTHER = SceneObject('other', Shape.BOX, (0.05, 0.05, 0.05), Pose((0.4, -0.1, 0.025)), 'blue')


class Still:
    name, uses_model = 'ground_truth', False

    def __init__(self, *objects: SceneObject, held: str | None = None) -> None:
        self._scene = Scene('scene-1', 0.0, objects, self.name, held=held)

    def observe(self, ctx: Context) -> Scene:
        return self._scene


def test_the_same_seed_draws_the_same_errors_whatever_is_asked_first() -> None:
    one, two = DrawnErrors(UNSURE, 7), DrawnErrors(UNSURE, 7)
    two.of(OTHER)
    assert one.of(CUBE) == two.of(CUBE)
    assert one.of(CUBE) != DrawnErrors(UNSURE, 8).of(CUBE)


def test_what_is_truly_there_is_seen_as_it_was_seen() -> None:
    errors = DrawnErrors(UNSURE, 3)
    true = truly(CUBE, errors)
    seen = UnsurePerception(Still(true), errors).observe(Context()).objects[0]
    assert np.allclose(seen.position, CUBE.position, atol=1e-9)
    assert np.allclose(seen.size, CUBE.size) and seen.pose.yaw == pytest.approx(CUBE.pose.yaw)


def test_a_true_thing_stands_on_the_same_ground() -> None:
    assert truly(CUBE, DrawnErrors(UNSURE, 3)).bottom_z == pytest.approx(CUBE.bottom_z)


def test_what_the_hand_holds_is_felt_where_it_is() -> None:
    unsure = UnsurePerception(Still(CUBE, OTHER, held='cube'), DrawnErrors(UNSURE, 3))
    cube, other = unsure.observe(Context()).objects
    assert cube == CUBE and other != OTHER


def test_only_the_jitter_is_new_in_another_look() -> None:
    steady = UnsurePerception(Still(CUBE), DrawnErrors(UNSURE.scaled(1.0), 3))
    first, second = (steady.observe(Context()).objects[0] for _ in range(2))
    assert 0 < np.linalg.norm(np.subtract(first.position, second.position)) < 0.006


def test_friction_and_density_are_samples_that_were_measured() -> None:
    found = [DrawnErrors(UNSURE, seed).of(CUBE) for seed in range(60)]
    assert {one.friction for one in found} == {0.1, 0.9}
    assert {one.density for one in found} == {100.0, 1000.0}


def test_the_hand_is_drawn_as_unsure_as_it_is() -> None:
    known = Uncertainty(grip=0.1, fingers_m=0.001)
    hands = [DrawnErrors(known, seed).hand for seed in range(300)]
    assert np.std([hand.share for hand in hands]) == pytest.approx(0.1, rel=0.15)
    assert np.std([hand.beside_m for hand in hands]) == pytest.approx(0.001, rel=0.15)
    assert np.mean([hand.share for hand in hands]) == pytest.approx(1.0, abs=0.02)
    assert min(DrawnErrors(known.scaled(9), seed).hand.share for seed in range(99)) > 0
    sure = DrawnErrors(Uncertainty(), 1).hand
    assert (sure.share, sure.beside_m) == (1.0, 0.0)


def test_the_time_in_a_twin_passes_with_looks_and_a_stop_is_seen_at_once() -> None:
    stop, now = CancelToken(), 0.0
    clock = TwinClock(Context(stop, deadline=1.0, now=lambda: now))
    assert [clock() for _ in range(3)] == pytest.approx([TICK_S, 2 * TICK_S, 3 * TICK_S])
    now = 1.0
    with pytest.raises(DeadlineExceeded):
        clock()
    stop.cancel('stop')
    with pytest.raises(Cancelled):
        Context(stop, now=clock).within(0.5).check()


def test_measured_deviations_are_those_that_were_put_in() -> None:
    rng = np.random.default_rng(0)
    scenes = []
    for _ in range(400):
        common = 0.010 * rng.normal(size=2)
        own = [common + 0.004 * rng.normal(size=2) for _ in range(4)]
        scenes.append([Seen(tuple(o + 0.001 * rng.normal(size=2)),
                            tuple(o + 0.001 * rng.normal(size=2)), 0.05, (0.002,)) for o in own])
    found = deviations(scenes, 'a test')
    assert (found.common_m, found.own_m, found.look_m) == pytest.approx(
        (0.010, 0.004, 0.001), rel=0.1)
    assert (found.yaw_rad, found.size_m) == (0.05, 0.002)


def test_what_a_file_does_not_say_is_as_measured_and_not_made_up(tmp_path) -> None:
    (tmp_path / 'own.yaml').write_text('own_m: 0.01\ngrip: 0.1\n', 'utf-8')
    own, measured = Uncertainty.read(tmp_path / 'own.yaml'), Uncertainty.of('properties')
    assert measured is not None and (own.own_m, own.grip) == (0.01, 0.1)
    assert (own.friction, own.density) == (measured.friction, measured.density)
    assert own.source == str(tmp_path / 'own.yaml')


def test_a_wrong_file_names_the_key(tmp_path) -> None:
    (tmp_path / 'u.yaml').write_text('own_m: 3\n', 'utf-8')
    with pytest.raises(ConfigError, match='own_m'):
        Uncertainty.read(tmp_path / 'u.yaml')
