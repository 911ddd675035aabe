# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed forms: all postures of a pose, wherever the arm stands; no proof where there is none."""

from collections.abc import Callable

import numpy as np
import pytest
from replan_agent_arms.branches import FormulaBranches, NumericBranches
from replan_agent_arms.chain import ChainKinematics
from replan_agent_arms.compiled import inverse, matrix, turned_to
from replan_agent_arms.formulas import FormulaProof, Formulas, formulas_of
from replan_agent_arms.reach import StretchBound

from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits

PARALLEL = (  # like a UR: axis and place of each joint, where all are at 0
    ((0, 0, 1), (0, 0, 0.1)), ((0, 1, 0), (0, 0.13, 0.16)), ((0, 1, 0), (0.42, 0.01, 0.16)),
    ((0, 1, 0), (0.81, 0.02, 0.16)), ((0, 0, -1), (0.81, 0.11, 0.1)),
    ((0, 1, 0), (0.81, 0.2, 0.07)))
WRIST = (  # like most industrial arms: offsets at the shoulder and the elbow, a spherical wrist
    ((0, 0, 1), (0, 0, 0.1)), ((0, 1, 0), (0.1, 0.05, 0.3)), ((0, 1, 0), (0.1, -0.1, 0.7)),
    ((1, 0, 0), (0.2, 0.02, 0.75)), ((0, 1, 0), (0.5, 0.3, 0.75)), ((1, 0, 0), (0.7, 0.02, 0.75)))
LIMITS = (3.1, 2.6, 2.7, 3.1, 3.1, 3.1)
PLACES = ('as it is', 'anywhere', 'mirrored')


def kinematics_of(joints: tuple, placed: str = 'as it is', most: tuple = LIMITS,
                  off: float = 0.0) -> ChainKinematics:
    """A chain with these axes: turned and moved, or mirrored, or with axes `off` (rad)."""
    rng = np.random.default_rng(4)
    axes, places = (np.array(part, dtype=float) for part in zip(*joints))
    axes += off * rng.normal(size=axes.shape)
    if placed == 'mirrored':  # and some axes point the other way
        axes, places = axes * (1, -1, 1), places * (1, -1, 1)
        axes[[2, 5]] *= -1
    T = np.eye(4)
    if placed == 'anywhere':
        T = Pose.from_rpy(0.3, -0.2, 0.1, 0.4, -0.7, 2.0).matrix()
    frames = [np.eye(4), *(T @ matrix(turned_to(np.eye(3), axis), place)
                           for axis, place in zip(axes, places))]
    mounts = [Pose.from_matrix(inverse(a) @ b) for a, b in zip(frames, frames[1:])]
    limit = np.array(most)
    names = tuple(f'j{i}' for i in range(6))
    limits = JointLimits(names, -limit, limit * 0.9, *(np.ones(6) for _ in range(4)))
    return ChainKinematics(limits, [(mount.position, mount.quaternion) for mount in mounts],
                           Pose.from_rpy(0.01, 0.02, 0.1, 0.3, 0.2, 0.1), 0.1)


def formulas(kinematics: ChainKinematics) -> Formulas:
    found = formulas_of(kinematics)
    assert found is not None
    return found


def branches(kinematics: ChainKinematics) -> FormulaBranches:
    return FormulaBranches(kinematics, 3.0, (0.0, 0.0, 0.0), formulas(kinematics))


def postures(kinematics: ChainKinematics, count: int, seed: int = 0) -> FloatArray:
    limits = kinematics.limits
    return np.random.default_rng(seed).uniform(limits.lower, limits.upper, (count, 6))


def missed(found: FloatArray, row: FloatArray, wanted: FloatArray) -> int:
    """How many of the postures, one for each pose, are not among those that were found."""
    away = np.full(len(wanted), np.inf)
    np.minimum.at(away, row, np.abs(found - wanted[row]).max(axis=1))
    return int((away > 0.02).sum())


@pytest.mark.parametrize('placed', PLACES)
@pytest.mark.parametrize('joints', [PARALLEL, WRIST], ids=['parallel', 'wrist'])
def test_the_posture_that_a_pose_comes_from_is_found(joints: tuple, placed: str) -> None:
    kinematics = kinematics_of(joints, placed)
    wanted = postures(kinematics, 2000)
    poses = kinematics.forward(wanted)
    row, found = branches(kinematics).solve_all_batch(poses)
    assert missed(found, row, wanted) == 0
    assert np.abs(kinematics.forward(found) - poses[row]).max() < 1e-6
    assert all(kinematics.limits.contain(posture) for posture in found)


@pytest.mark.parametrize('joints', [PARALLEL, WRIST], ids=['parallel', 'wrist'])
def test_what_the_search_finds_the_formulas_find(joints: tuple) -> None:
    kinematics = kinematics_of(joints, 'anywhere')
    poses = kinematics.forward(postures(kinematics, 150))
    rows, others = NumericBranches(kinematics, 3.0, (0.0, 0.0, 0.0)).solve_all_batch(poses)
    row, found = branches(kinematics).solve_all_batch(poses)
    lost = sum(np.abs(found[row == r] - other).max(axis=1).min() > 0.02
               for r, other in zip(rows, others))
    assert lost <= len(others) // 200 and len(found) >= len(others)


def test_axes_that_are_nearly_parallel_are_solved_exactly_and_never_proved() -> None:
    kinematics = kinematics_of(PARALLEL, off=0.001)  # as an arm that was calibrated
    wanted = postures(kinematics, 1000)
    poses = kinematics.forward(wanted)
    row, found = branches(kinematics).solve_all_batch(poses)
    assert len(np.unique(row)) >= 0.995 * len(poses)
    assert np.abs(kinematics.forward(found) - poses[row]).max() < 1e-6
    assert not formulas(kinematics).is_exact


def test_an_arm_of_neither_kind_has_no_formulas() -> None:
    bent = tuple((axis, place) if k != 2 else ((0, 0.9, 0.3), place)
                 for k, (axis, place) in enumerate(PARALLEL))
    apart = tuple((axis, place) if k != 5 else (axis, (0.9, 0.2, 0.07))
                  for k, (axis, place) in enumerate(PARALLEL))
    assert formulas_of(kinematics_of(bent)) is None and formulas_of(kinematics_of(apart)) is None


def test_joints_that_turn_twice_have_solutions_a_turn_apart() -> None:
    kinematics = kinematics_of(PARALLEL, most=(6.2, 2.6, 2.7, 3.1, 3.1, 7.0))
    wanted = postures(kinematics, 200)
    poses = kinematics.forward(wanted)
    row, found = branches(kinematics).solve_all_batch(poses)
    assert missed(found, row, wanted) == 0
    first = found[row == 0]
    assert len(first) > len(np.unique(np.round(np.sin(first), 3), axis=0))
    assert np.ptp(first[:, 5]) > 2 * np.pi - 1e-9
    nearest = branches(kinematics).solve_nearest(poses[0], wanted[0])
    assert nearest is not None and np.abs(nearest - wanted[0]).max() < 1e-6


def test_at_a_singularity_the_arm_stays_where_it_is() -> None:
    kinematics = kinematics_of(PARALLEL)
    flat = postures(kinematics, 40) * 0.5
    flat[:, 4] = 0.0  # axes 4 and 6 are parallel: joint 6 is free
    solver = branches(kinematics)
    for posture in flat:
        found = solver.solve_nearest(kinematics.forward(posture), posture)
        assert found is not None and np.abs(found - posture).max() < 1e-4


def proof_of(kinematics: ChainKinematics) -> FormulaProof:
    return FormulaProof(formulas(kinematics), kinematics.limits,
                        StretchBound(kinematics, 'not found'))


def hard(kinematics: ChainKinematics, count: int) -> FloatArray:
    """Postures at limits and at singularities: some joints there, some anywhere."""
    rng, limits = np.random.default_rng(5), kinematics.limits
    special = np.stack([limits.lower, limits.upper, np.zeros(6), np.full(6, np.pi / 2)])
    chosen = special[rng.integers(0, 4, (count, 6)), np.arange(6)]
    near = chosen + rng.choice([0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4, -1e-4], (count, 6))
    mixed = np.where(rng.random((count, 6)) < 0.5, near, postures(kinematics, count, 6))
    return np.clip(mixed, limits.lower, limits.upper)


@pytest.mark.parametrize('placed', PLACES)
@pytest.mark.parametrize('joints', [PARALLEL, WRIST], ids=['parallel', 'wrist'])
def test_no_pose_of_a_posture_is_ever_proved_out_of_reach(joints: tuple, placed: str) -> None:
    kinematics = kinematics_of(joints, placed)
    prove = proof_of(kinematics)
    tried = np.concatenate([postures(kinematics, 5000, 7), hard(kinematics, 15000)])
    poses = kinematics.forward(tried)
    assert not prove.proved(poses).any(), tried[prove.proved(poses)][0]
    assert all(prove(T).verdict is Reachability.UNDECIDED for T in poses[::500])


@pytest.mark.parametrize('joints', [PARALLEL, WRIST], ids=['parallel', 'wrist'])
def test_what_has_no_root_within_the_limits_is_proved(joints: tuple) -> None:
    wide = kinematics_of(joints)
    narrow = kinematics_of(joints, most=(0.5, 2.6, 2.7, 3.1, 1.0, 3.1))
    poses = wide.forward(postures(wide, 300))
    solved = set(branches(narrow).solve_all_batch(poses).row.tolist())
    prove = proof_of(narrow)
    proved = set(np.flatnonzero(prove.proved(poses)).tolist())
    assert prove(poses[min(proved)]).verdict is Reachability.PROVED_UNREACHABLE
    assert not proved & solved and len(proved) > 0.95 * (len(poses) - len(solved)) > 100


def interrupted(value: object, by: Callable[[], object]) -> None:
    """Do `by` once right after something is kept, as a second thread may."""
    class Shared(type(value)):  # type: ignore[misc]
        done = False

        def __setattr__(self, name: str, kept: object) -> None:
            super().__setattr__(name, kept)
            if name == '_last' and not Shared.done:
                Shared.done = True
                by()

    value.__class__ = Shared


@pytest.mark.parametrize('exact', [True, False], ids=['formulas', 'starts'])
def test_a_second_thread_does_not_change_the_solutions_of_the_first(exact: bool) -> None:
    kinematics = kinematics_of(PARALLEL)
    solver: NumericBranches = (branches(kinematics) if exact else
                               NumericBranches(kinematics, 3.0, (0.0, 0.0, 0.0)))
    flat = postures(kinematics, 6) * 0.5
    flat[:, 4] = 0.0  # singular: searched from where the arm is, too
    mine, other = kinematics.forward(flat), kinematics.forward(postures(kinematics, 2, 9))
    alone = solver.solve_all_batch(mine), solver.solve_nearest_batch(mine, flat[0])
    for ask, expected in ((lambda: solver.solve_all_batch(mine), alone[0]),
                          (lambda: solver.solve_nearest_batch(mine, flat[0]), alone[1])):
        solver.solve_all_batch(other)
        interrupted(solver, lambda: solver.solve_all_batch(other))
        for found, wanted in zip(ask(), expected, strict=True):
            assert np.array_equal(found, wanted)


def test_a_second_thread_does_not_change_the_pose_of_the_first() -> None:
    kinematics = kinematics_of(WRIST)
    mine, other = postures(kinematics, 2)
    alone = kinematics.forward(mine)
    kinematics.forward(other)
    interrupted(kinematics, lambda: kinematics.forward(other))
    assert np.array_equal(kinematics.forward(mine), alone)
