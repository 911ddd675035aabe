# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is proved to be free is free for MuJoCo too, in scenes and motions drawn at random."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from replan_agent_vamp.free_proof import FreeProof, MovingGeoms
from replan_agent_vamp.proving_checker import ProvingChecker

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.arms.franka_numbers import HOME, JOINTS, limits
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

LOWER, UPPER = limits('panda').lower, limits('panda').upper
KINEMATICS = FrankaKinematics()
EVERY = 0.005  # rad between the postures of a motion
SHAPES = (Shape.BOX, Shape.SPHERE, Shape.CYLINDER, Shape.BIN, Shape.BOWL, Shape.IRREGULAR)
SCENES = range(40)


def turned_pose(rng, position) -> Pose:
    quaternion = rng.standard_normal(4)
    return Pose(tuple(position), tuple(quaternion / np.linalg.norm(quaternion)))


def thing(rng, name: str, pose: Pose, largest_m: float) -> SceneObject:
    shape = SHAPES[rng.integers(len(SHAPES))]
    size = rng.uniform(0.01, largest_m, 3)
    if shape is Shape.SPHERE:
        size[:] = size[0]
    elif shape in (Shape.CYLINDER, Shape.BOWL):
        size[1] = size[0]
    pieces = ()
    if shape is Shape.IRREGULAR:
        pieces = tuple(Piece.around(rng.uniform(-0.5, 0.5, (12, 3)) * size) for _ in range(2))
    return SceneObject(name, shape, tuple(map(float, size)), pose, pieces=pieces)


def motion(rng) -> np.ndarray:
    """Postures along a bent way, so dense that no joint moves by more than EVERY."""
    corners = [rng.uniform(LOWER, UPPER)]
    for _ in range(2):
        corners.append(np.clip(corners[-1] + rng.normal(0, 0.5, JOINTS), LOWER, UPPER))
    a, b, c = corners
    steps = int(2 * max(np.abs(b - a).max(), np.abs(c - b).max()) / EVERY)
    share = np.linspace(0, 1, steps + 1)[:, None]
    return (1 - share)**2 * a + 2 * share * (1 - share) * b + share**2 * c


def request(rng, way: np.ndarray) -> MotionRequest:
    """Things of all kinds close to the way of the arm; in two of three scenes, one is held."""
    things = []
    for k in range(rng.integers(1, 6)):
        frames = KINEMATICS.link_frames(way[rng.integers(len(way))])
        near = frames[rng.integers(len(frames)), :3, 3] + rng.normal(0, 0.2, 3)
        things.append(thing(rng, f'thing {k}', turned_pose(rng, near), 0.25))
    tcp, held = Pose.from_matrix(KINEMATICS.forward(way[0])), None
    if rng.random() < 0.67:
        held = 'held'
        pose = turned_pose(rng, np.array(tcp.position) + rng.normal(0, 0.01, 3))
        things.append(thing(rng, held, pose, 0.12))
    arm = ArmSnapshot(tuple(way[0]), tcp, float(rng.uniform(0, 0.08)), at_home=False)
    allowed = (('gripper', 'thing 0'),) if rng.random() < 0.3 else ()
    return MotionRequest(Scene('s', 0.0, tuple(things), 'test', arm, held), allowed,
                         clearance_m=float(rng.choice([0.0, 0.001, 0.01])))


def drawn(seed: int) -> tuple[MujocoCollisionChecker, np.ndarray]:
    """A checker and a motion that begins in a free posture."""
    rng = np.random.default_rng(seed)
    while True:
        way = motion(rng)
        checker = MujocoCollisionChecker(PANDA, eye_in_hand=bool(rng.random() < 0.3))
        checker.use(request(rng, way))
        if checker.first_contact(way[0]) is None:
            return checker, way


def geoms_of(checker: MujocoCollisionChecker) -> MovingGeoms:
    return MovingGeoms(checker._now.model, JOINTS)


def proof_of(checker: MujocoCollisionChecker, joints: np.ndarray) -> FreeProof:
    checker.first_contact(joints)
    now = checker._now
    return FreeProof(geoms_of(checker), now.data, checker._counts, checker._clearance_m)


@pytest.fixture(scope='module')
def checked() -> list[tuple[set[int], set[int], int]]:
    """For each scene: the postures in doubt, those that touch, and how many there are."""
    found = []
    for seed in SCENES:
        checker, way = drawn(seed)
        doubtful = set(proof_of(checker, way[0]).doubtful(way).tolist())
        touching = {k for k, joints in enumerate(way) if checker.first_contact(joints) is not None}
        found.append((doubtful, touching, len(way)))
    return found


def test_what_is_proved_free_touches_nothing(checked):
    assert [seed for seed, (doubtful, touching, _) in enumerate(checked)
            if not touching <= doubtful] == []


def test_the_scenes_are_hard_and_the_proofs_save_three_of_four_checks(checked):
    assert sum(0 < len(touching) for _, touching, _ in checked) > 0.4 * len(checked)
    assert (sum(len(doubtful - touching) for doubtful, touching, _ in checked)
            < 0.25 * sum(count - len(touching) for _, touching, count in checked))


@pytest.mark.parametrize('seed', SCENES)
def test_a_gap_is_never_more_than_the_true_distance(seed):
    checker, way = drawn(seed)
    model, data, arm = checker._now.model, checker._now.data, geoms_of(checker)
    for joints in way[::100]:
        proof = proof_of(checker, joints)
        frames = proof._frames(joints[None])
        places = proof._places(frames)
        gaps = [proof._still_gaps(places), *(gaps for gaps, *_ in proof._own_gaps(frames, places))]
        counted = arm.checked & checker._counts
        pairs = [(g, h) for g in arm.moving for h in range(model.ngeom)
                 if counted[g, h] and arm.link[g] != arm.link[h]]
        true = min(mujoco.mj_geomDistance(model, data, *sorted(pair), 5.0, None) for pair in pairs)
        assert min(found.min() for found in gaps) <= max(0.0, true) + 1e-5


@pytest.mark.parametrize('seed', range(10))
def test_a_gap_between_two_parts_of_the_arm_is_never_more_than_their_distance(seed):
    checker, _ = drawn(seed)
    model, data, arm = checker._now.model, checker._now.data, geoms_of(checker)
    for joints in np.random.default_rng(seed).uniform(LOWER, UPPER, (20, JOINTS)):
        proof = proof_of(checker, joints)
        pairs = np.flatnonzero(proof._outer >= 0)
        gaps = proof._stick_gaps(proof._places(proof._frames(joints[None])), pairs)[:, 0]
        for gap, one, other in zip(gaps, proof._inner[pairs], proof._outer[pairs]):
            parts = sorted((arm.moving[one], arm.moving[other]))
            true = mujoco.mj_geomDistance(model, data, *parts, 5.0, None)
            assert gap <= max(0.0, true) + 1e-5


def test_a_folded_arm_is_proved_free():
    way = np.tile((0.0, -0.6, 0.0, -2.8, 0.0, 2.2, 0.8), (100, 1))  # upper and lower arm are close
    way[:, 3] += np.linspace(-0.1, 0.1, len(way))
    scene = Scene('s', 0.0, (), 'test')
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene, clearance_m=0.001))
    assert len(proof_of(checker, way[0]).doubtful(way)) == 0


def test_a_posture_that_is_not_a_number_is_never_proved_free():
    checker, way = drawn(3)
    broken = way.copy()
    broken[10:20] = np.nan
    assert set(range(10, 20)) <= set(proof_of(checker, way[0]).doubtful(broken).tolist())


def test_a_thin_plate_between_two_free_postures_is_found():
    way = np.tile(HOME, (400, 1))
    way[:, 0] = np.linspace(-0.2, 0.2, len(way))  # the tool moves by 0.2 m
    tip = Pose.from_matrix(KINEMATICS.forward(way[200]))  # far from the middle of a block
    plate = SceneObject('plate', Shape.BOX, (0.04, 0.001, 0.01), tip, movable=False)
    arm = ArmSnapshot(tuple(HOME), Pose.from_matrix(KINEMATICS.forward(way[0])), 0.0, at_home=True)
    checker = ProvingChecker(PANDA)
    checker.use(MotionRequest(Scene('s', 0.0, (plate,), 'test', arm)))
    touching = [k for k, joints in enumerate(way) if checker.first_contact(joints) is not None]
    assert 150 < touching[0] < touching[-1] < 250
    found = checker.first_among(way)
    assert found is not None and found[0] == touching[0]
    assert {found[1].first, found[1].second} == {'gripper', 'plate'}


def test_every_pair_that_mujoco_finds_is_one_that_moves_and_that_proofs_are_about():
    seen = set()
    for seed in range(30):
        checker, _ = drawn(seed)
        data, arm = checker._now.data, geoms_of(checker)
        for joints in np.random.default_rng(seed).uniform(LOWER, UPPER, (100, JOINTS)):
            checker.clearance(joints)  # looks as far as it can
            one, other = data.contact.geom.T
            assert (arm.checked[one, other] & (arm.link[one] != arm.link[other])).all()
            seen |= {tuple(sorted(pair)) for pair in zip(arm.link[one], arm.link[other])}
    assert {(0, link) for link in range(1, 8)} | {(5, 7), (2, 6), (1, 7)} <= seen


@pytest.mark.parametrize('seed', SCENES)
def test_all_turns_within_the_proved_share_are_free(seed):
    rng = np.random.default_rng(seed)
    checker, way = drawn(seed)
    for joints in way[::20]:
        turns = rng.uniform(0.01, 0.3, JOINTS) * (np.arange(JOINTS) == rng.integers(4))
        share = float(proof_of(checker, joints)._share(joints[None], turns[None])[0])
        if 0 < share < 10:
            for way_there in (-1, 1):
                assert checker.first_contact(joints + way_there * share * turns) is None


@pytest.mark.parametrize('seed', range(20))
def test_no_point_of_a_link_moves_farther_than_the_bound(seed):
    rng = np.random.default_rng(seed)
    checker, way = drawn(seed)
    arm, data = geoms_of(checker), checker._now.data
    for largest in (0.01, 0.1, 1.0):
        turns = rng.uniform(0, largest, JOINTS) * (rng.random(JOINTS) < 0.4)
        joints = rng.uniform(LOWER, UPPER)
        proof = proof_of(checker, joints)
        frames = proof._frames(joints[None])
        bound = (proof._reach(frames, proof._places(frames))[..., 0] * turns).sum(axis=1)
        before = surface(arm, data)
        checker.first_contact(joints + turns * rng.uniform(-1, 1, JOINTS).round())
        moved = np.linalg.norm(surface(arm, data) - before, axis=2).max(axis=1)
        assert (moved <= bound[arm.links] + 1e-6).all()


def surface(arm, data) -> np.ndarray:
    """Points (parts, N, 3) at the ends and edges of all moving parts."""
    ways = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), axis=-1).reshape(-1, 3)
    round_ways = ways / np.maximum(np.linalg.norm(ways, axis=1), 1)[:, None]
    part = arm.moving
    points = (arm.centre[part, None] + ways * arm.half[part, None]
              + round_ways * arm.radius[part, None, None])
    turned = data.geom_xmat[part].reshape(-1, 3, 3)
    return np.einsum('gij,gnj->gni', turned, points) + data.geom_xpos[part, None]
