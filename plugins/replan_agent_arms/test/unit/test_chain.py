# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics of any chain are MuJoCo's, and its Jacobian is their slope."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from replan_agent_arms.arm_chain import ArmChain, arm_chain
from replan_agent_arms.branches import NumericBranches, even_shares
from replan_agent_arms.chain import ChainKinematics
from replan_agent_arms.compiled import Compiled, inverse
from replan_agent_arms.model_text import model_text
from replan_agent_arms.sidecar import read_sidecar
from small_arms import SIDECAR, seven_joints, six_joints

from replan_agent.domain.pose import Pose
from replan_agent.text.setting import ConfigError

SEVEN = (SIDECAR.replace('arm.urdf', 'arm.xml').replace('pan, lift, elbow, wrist1, wrist2, wrist3',
                                                        'a1, a2, a3, a4, a5, a6, a7')
         .replace('home: [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]', 'home: [0, 0, 0, 0, 0, 0, 0]\n'
                  'velocity: 2.0'))
HAND = Pose((0.01, -0.02, 0.1), (0.5**0.5, 0.5**0.5, 0.0, 0.0))


def chain_of(path: Path) -> ArmChain:
    file = read_sidecar(path)
    return arm_chain(Compiled(model_text(file.model)), file, (), None)


@pytest.fixture(params=[6, 7])
def chain(request: pytest.FixtureRequest, written: Callable[..., Path]) -> ArmChain:
    return chain_of(written() if request.param == 6
                    else written(SEVEN, seven_joints(), 'arm.xml'))


def postures(chain: ArmChain, count: int) -> np.ndarray:
    limits = chain.limits
    return np.random.default_rng(0).uniform(limits.lower, limits.upper,
                                            (count, len(chain.joints)))


def test_poses_are_those_of_mujoco(chain: ArmChain) -> None:
    kinematics = ChainKinematics(chain.limits, chain.mounts, HAND, 0.05)
    joints = postures(chain, 1000)
    tools, links = kinematics.forward(joints), kinematics.link_frames(joints)
    body = int(chain.compiled.model.jnt_bodyid[chain.joints[-1]])
    chain.compiled.move({})
    T_body_tcp = (inverse(chain.compiled.body_pose(body)) @ chain.frames[-1] @ HAND.matrix()
                  @ Pose((0, 0, 0.05)).matrix())
    for posture, tool, link in zip(joints, tools, links):
        chain.compiled.move(dict(zip(chain.joints, posture)))
        T = inverse(chain.frames[0]) @ chain.compiled.body_pose(body) @ T_body_tcp
        assert np.abs(tool - T).max() < 1e-9
        assert np.abs(kinematics.forward(posture) - T).max() < 1e-9
        assert np.abs(kinematics.link_frames(posture) - link).max() < 1e-12


def test_the_jacobian_is_the_slope_of_the_pose(chain: ArmChain) -> None:
    kinematics = ChainKinematics(chain.limits, chain.mounts, HAND, 0.05)
    posture, step = postures(chain, 1)[0], 1e-6
    J, T = kinematics.jacobian(posture), kinematics.forward(posture)
    for i in range(len(posture)):
        moved = posture.copy()
        moved[i] += step
        change = (kinematics.forward(moved) - T) / step
        turn = change[:3, :3] @ T[:3, :3].T
        assert np.abs(J[:3, i] - change[:3, 3]).max() < 1e-5
        assert np.abs(J[3:, i] - (turn[2, 1], turn[0, 2], turn[1, 0])).max() < 1e-5


def test_nearly_every_reachable_pose_is_solved_exactly(chain: ArmChain) -> None:
    kinematics = ChainKinematics(chain.limits, chain.mounts, HAND, 0.05)
    branches = NumericBranches(kinematics, 3.0, (0.0, 0.0, 0.0))
    poses = kinematics.forward(postures(chain, 600))
    row, joints = branches.solve_all_batch(poses)
    assert len(np.unique(row)) >= 0.995 * len(poses)
    assert np.abs(kinematics.forward(joints) - poses[row]).max() < 1e-6
    assert all(chain.limits.contain(solution) for solution in joints)
    if len(chain.joints) == 6:  # several ways to bend
        assert len(row) > 2 * len(poses)


def test_the_nearest_solution_is_where_the_arm_is(chain: ArmChain) -> None:
    kinematics = ChainKinematics(chain.limits, chain.mounts, HAND, 0.05)
    branches = NumericBranches(kinematics, 3.0, (0.0, 0.0, 0.0))
    for posture in postures(chain, 20) * 0.5:
        found = branches.solve_nearest(kinematics.forward(posture), posture)
        assert found is not None and np.abs(found - posture).max() < 1e-5


def test_a_pose_beyond_the_span_has_no_solution(chain: ArmChain) -> None:
    branches = NumericBranches(ChainKinematics(chain.limits, chain.mounts, HAND, 0.05), 1.5,
                               (0.0, 0.0, 0.0))
    assert branches.solve_nearest(Pose((3.0, 0, 0)).matrix(), np.zeros(len(chain.joints))) is None


def test_starts_cover_the_box() -> None:
    shares = even_shares(2, 400)
    cells = {(int(x * 10), int(y * 10)) for x, y in shares}
    assert len(cells) == 100


@pytest.mark.parametrize('old, new, said', [
    ('wrist1, wrist2', 'wrist2, wrist1', 'joints: wrist1 is not carried by wrist2'),
    ('lift, elbow', 'elbow', 'lift is between pan and elbow and is missing'),
    ('pan, lift', 'pam, lift', "joints: arm.urdf has no joint named 'pam'; it has: elbow"),
    ('wrist2, wrist3', 'wrist2, left_slide', 'left_slide slides; only joints that turn'),
    ('home: [0.0', 'home: [4.0', 'home: pan is at 4 rad, outside its range -3.100 to 3.100'),
    ('jerk: 100.0', 'jerk: 100.0\nbase: wrist3_link', 'base: wrist3_link does not carry pan'),
    ('jerk: 100.0', 'jerk: 100.0\nbase: foot', "base: arm.urdf has no body or link named 'foot'"),
    ('jerk: 100.0', 'jerk: 100.0\nranges: {arm: [0, 1]}', 'ranges: arm is not one of the joints'),
])
def test_a_chain_that_is_none_is_one_sentence(written: Callable[..., Path], old: str, new: str,
                                              said: str) -> None:
    sidecar = SIDECAR.replace(old, new)
    if 'lift' in old and 'lift' not in new:
        sidecar = sidecar.replace('home: [0.0, ', 'home: [')
    with pytest.raises(ConfigError) as error:
        chain_of(written(sidecar))
    assert said in str(error.value)


def test_an_arm_whose_joints_follow_each_other_is_refused(written: Callable[..., Path]) -> None:
    model = six_joints().replace('</joint><link name="wrist1_link">',
                                 '<mimic joint="lift"/></joint><link name="wrist1_link">')
    with pytest.raises(ConfigError, match=r'joints: elbow follows lift \(<mimic> in arm.urdf\)'):
        chain_of(written(model=model))


def test_ranges_without_a_unit_that_fit_radians_are_radians_and_told(
        written: Callable[..., Path]) -> None:
    model = seven_joints().replace('<compiler angle="radian"/>', '')
    chain = chain_of(written(SEVEN, model, 'arm.xml'))
    assert chain.limits.upper[0] == pytest.approx(2.8)
    assert any('seem to be in radians' in note for note in chain.compiled.text.notes)


@pytest.mark.parametrize('upper, told', [('2.5', False), ('3.1', False), ('4', True)])
def test_ranges_beyond_those_of_the_model_are_told(written: Callable[..., Path], upper: str,
                                                   told: bool) -> None:
    chain = chain_of(written(f'{SIDECAR}ranges: {{elbow: [-2, {upper}]}}'))
    assert chain.limits.upper[2] == float(upper)
    assert told is any('elbow may turn farther by ranges than arm.urdf says: -2 to 4 rad' in note
                       for note in chain.compiled.text.notes)


def test_a_speed_that_nobody_says_is_asked_for(written: Callable[..., Path]) -> None:
    path = written(SEVEN.replace('velocity: 2.0', ''), seven_joints(), 'arm.xml')
    with pytest.raises(ConfigError, match=r'velocity: it is missing, and arm.xml does not say it '
                       'for a1; for example: velocity: 3.14'):
        chain_of(path)


def test_a_joint_that_turns_all_around_gets_half_a_turn_to_each_side(
        written: Callable[..., Path]) -> None:
    chain = chain_of(written(SEVEN, seven_joints().replace('-2.8 2.8', '-6.28 6.28'), 'arm.xml'))
    assert chain.limits.upper[0] == pytest.approx(np.pi)
    assert any('turns all around' in note for note in chain.compiled.text.notes)
