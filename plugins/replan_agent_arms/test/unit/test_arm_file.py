# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is computed of an arm: where its hand is, its shapes, how far it reaches."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from doc_blocks import ROOT, blocks
from replan_agent_arms.arm_by_name import arm_by_name
from replan_agent_arms.arm_file import load_arm
from replan_agent_arms.compiled import Compiled, inverse
from replan_agent_arms.measured_hand import MOST_PAD_M, measured_hand
from replan_agent_arms.model_text import model_text
from replan_agent_arms.pieces import MOST_CORNERS, clouds, fewer
from replan_agent_arms.reach import farthest_tilted
from replan_agent_arms.sidecar import read_sidecar
from small_arms import SIDECAR, linkage, six_joints

from replan_agent.app.build.config_file import load_config
from replan_agent.arms.arm_model import ArmModel, Hull
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import Pose
from replan_agent.motion.ik import ExactIK
from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.text.setting import ConfigError

LINKED = SIDECAR.partition('gripper:')[0] + """
hand: {model: hand.xml, at: wrist3_link, xyz: [0, 0.09, 0], rpy: [-1.5708, 0, 0]}
leave_out: [palm]
gripper: {joint: l_knuckle, open: 0.0, closed: 0.65, pads: [l_pad, r_pad], force: [5, 50],
          speed: 0.1}
"""
Written = Callable[..., Path]


@pytest.fixture(scope='module', params=['slides', 'linkage'])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (folder / 'hand.xml').write_text(linkage(), 'utf-8')
    (folder / 'small.yaml').write_text(SIDECAR if request.param == 'slides' else LINKED, 'utf-8')
    return folder / 'small.yaml'


@pytest.fixture(scope='module')
def arm(path: Path) -> ArmModel:
    return load_arm(path).arm


def test_the_tool_is_between_the_tips_of_the_pads_at_a_usual_width(arm: ArmModel) -> None:
    width = min(0.04, arm.hand.max_width_m / 2)
    frames = arm.body_frames(np.array(arm.home), width)
    tips = {body.name: frames[body.name] @ (np.array([*body.pads[0].centre, 1]) + (
        0, 0, body.pads[0].size[2] / 2, 0)) for body in arm.gripper.fingers if body.pads}
    out = frames['hand_tcp'][:, 2]
    middle = (tips['leftfinger'] + tips['rightfinger']) / 2 - out * MOST_PAD_M / 2
    assert np.abs(middle[:3] - arm.home_tcp).max() < 0.001


def test_pads_are_where_the_model_has_them_at_every_width(path: Path, arm: ArmModel) -> None:
    file = read_sidecar(path)
    own = file.hand is not None
    hand = measured_hand(Compiled(model_text(file.hand or file.model)), file, own_model=own)
    compiled = hand.compiled
    for k in range(0, 33, 4):
        compiled.move({group.joint: value for group, value in zip(hand.fingers, hand.values[k])
                       if group.joint is not None})
        frames = arm.gripper.frames(float(hand.widths[k]))
        for body, group in zip(arm.gripper.fingers, hand.fingers):
            for pad, geom in zip(body.pads, group.pads):
                there = inverse(hand.T_world_hand) @ [*compiled.corners(geom).mean(axis=0), 1]
                assert np.abs(frames[body.name] @ [*pad.centre, 1] - there).max() < 0.0005


def test_a_driver_is_told_the_joint_and_its_reading_is_the_width(arm: ArmModel) -> None:
    for width in np.linspace(0, arm.hand.max_width_m, 7):
        assert arm.gripper.width([arm.gripper.commanded(width)]) == pytest.approx(width, abs=2e-4)


def test_no_part_of_a_finger_is_in_front_of_its_pad(arm: ArmModel) -> None:
    for body in arm.gripper.fingers:
        side = 1 if body.name == 'leftfinger' else -1
        for pad in body.pads:
            face = side * pad.centre[1] - pad.size[1] / 2
            for part in body.shapes:
                assert isinstance(part, Hull)
                assert (side * np.array(part.corners)[:, 1]).min() >= face


def test_neighbours_are_not_checked_and_far_links_are(arm: ArmModel) -> None:
    assert ('link1', 'link2') in arm.never_touch and ('link6', 'hand') in arm.never_touch
    assert ('link0', 'hand') not in arm.never_touch and ('link1', 'link5') not in arm.never_touch


def test_links_with_one_between_them_that_no_posture_brings_together_are_not_checked(
        arm: ArmModel) -> None:
    assert ('link1', 'link3') in arm.never_touch and ('link0', 'link2') not in arm.never_touch


def test_links_that_touch_in_very_few_postures_are_checked(written: Written) -> None:
    ball = '<collision><origin xyz="{}"/><geometry><sphere radius="0.003"/></geometry></collision>'
    path, text = written(), six_joints()
    assert ('link1', 'link3') in load_arm(path).arm.never_touch
    model = Compiled(model_text(path.parent / 'arm.urdf'))
    model.move({model.joints['lift']: 1.0, model.joints['elbow']: 0.6})  # two balls meet
    pan, elbow = (model.body_pose(model.bodies[f'{name}_link']) for name in ('pan', 'elbow'))
    meet = np.array([0.4, 0.0, 0.4, 1.0])
    for link, where in (('pan', inverse(pan) @ elbow @ meet), ('elbow', meet)):
        head, middle, tail = text.partition(f'<link name="{link}_link">')
        text = head + middle + ball.format(' '.join(map(str, where[:3]))) + tail
    assert ('link1', 'link3') not in load_arm(written(model=text)).arm.never_touch


def test_the_force_of_the_hand_is_what_the_sidecar_says(arm: ArmModel) -> None:
    assert arm.hand.force_n == (5.0, 50.0)


def test_no_pose_that_the_arm_reaches_is_proved_out_of_reach(arm: ArmModel) -> None:
    limits = arm.limits
    joints = np.random.default_rng(2).uniform(limits.lower, limits.upper, (300, 6))
    assert arm.prove is not None
    for T in arm.kinematics.forward(joints):
        assert arm.prove(T).verdict is Reachability.UNDECIDED
        assert np.linalg.norm(T[:3, 3] - arm.shoulder) <= arm.span_m


def test_a_pose_that_is_neither_solved_nor_ruled_out_is_told_as_that(arm: ArmModel) -> None:
    assert arm.prove is not None
    assert arm.prove(arm.kinematics.forward(np.array(arm.home))).proof == (
        'not found, and not ruled out: it is near a singularity or a limit')


def test_a_pose_farther_than_the_links_stretch_is_proved_out_of_reach(arm: ArmModel) -> None:
    assert arm.prove is not None
    proof = arm.prove(Pose((arm.span_m + 0.5, 0.0, 0.3)).matrix())
    assert proof.verdict is Reachability.PROVED_UNREACHABLE
    assert proof.out_of_reach_m is not None and proof.out_of_reach_m > 0.3


def test_an_arm_with_formulas_does_not_say_that_it_iterated(arm: ArmModel) -> None:
    report = ExactIK(arm).solve(Pose((0.0, 0.0, -3.0)), np.array(arm.home)).report
    assert report is not None and 'iters' not in report.sentence
    assert report.sentence.startswith('IK has no posture by its formulas, and none near it was ')


def test_the_hands_mass_is_taken_off_the_payload(arm: ArmModel) -> None:
    assert 0 < arm.max_load_kg < 5.0


def test_only_weak_motors_change_what_counts_as_a_contact(written: Written) -> None:
    strong, weak = (load_arm(written(f'{SIDECAR}effort: {most}')).arm.limits.guard_scale
                    for most in (1000, 10))
    assert strong == 1.0 and 0 < weak < 0.5


def test_a_payload_below_the_hands_mass_is_refused(written: Written) -> None:
    with pytest.raises(ConfigError, match=r'payload: the hand alone weighs 3\.'):
        load_arm(written(SIDECAR.replace('payload: 5.0', 'payload: 2.9')))


def test_a_home_in_which_the_arm_touches_itself_is_refused(written: Written) -> None:
    folded = SIDECAR.replace('[0.0, -1.57, 1.57, -1.57, -1.57, 0.0]', '[0, 0.0, 3.0, 0, 0, 0]')
    with pytest.raises(ConfigError, match=r'home: the .* and the .* touch there; write a '):
        load_arm(written(folded))


def test_a_hand_on_a_link_before_the_last_joint_is_refused(written: Written) -> None:
    path = written(LINKED.replace('at: wrist3_link', 'at: elbow_link'))
    (path.parent / 'hand.xml').write_text(linkage(), 'utf-8')
    with pytest.raises(ConfigError, match='hand.at: elbow_link is not carried by the last joint'):
        load_arm(path)


def test_a_link_of_the_arm_is_not_left_out(written: Written) -> None:
    with pytest.raises(ConfigError, match='leave_out: elbow_link is a link of the arm'):
        load_arm(written(sidecar=SIDECAR + 'leave_out: [elbow_link]\n'))


def test_a_hand_whose_joint_is_called_as_one_of_the_arm_is_refused(tmp_path: Path) -> None:
    for name, text in (('arm.urdf', six_joints()), ('hand.xml', linkage()),
                       ('small.yaml', LINKED)):
        (tmp_path / name).write_text(text.replace('l_knuckle', 'pan'), 'utf-8')
    with pytest.raises(ConfigError, match='hand.xml: the arm has a joint pan, too'):
        load_arm(tmp_path / 'small.yaml')


def test_an_arm_is_read_again_when_a_model_that_it_names_changes(written: Written) -> None:
    path = written(sidecar=SIDECAR)
    first = arm_by_name(str(path))
    assert arm_by_name(str(path)) is first
    model = path.parent / 'arm.urdf'
    model.write_text(six_joints().replace('upper="3.1"', 'upper="3.0"', 1), 'utf-8')
    os.utime(model, ns=(1, 1))
    assert arm_by_name(str(path)).limits.upper[0] == pytest.approx(3.0)


def test_a_round_mesh_gets_few_corners_around_it() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(500, 3))
    points *= 0.05 / np.linalg.norm(points, axis=1)[:, None]
    corners = fewer(points)
    assert len(corners) <= MOST_CORNERS
    normals = np.linalg.norm(corners, axis=1)
    assert normals.min() >= 0.049 and normals.max() < 0.065


def test_a_bent_mesh_is_cut_into_pieces() -> None:
    corners = np.array([(0, 0), (0.5, 0), (0.5, 0.2), (0.45, 0.2), (0.45, 0.05), (0, 0.05)])
    points = np.concatenate([np.c_[corners, np.full(6, z)] for z in (0, 0.05)])
    sides = [(k, (k + 1) % 6, k + 6) for k in range(6)]
    sides += [((k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6)]
    assert len(clouds(points, np.array(sides))) > 1


def test_an_unknown_arm_lists_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no arm 'ur5'; did you mean 'ur5e'.*ur5e"):
        arm_by_name('ur5')


@pytest.mark.parametrize('name', ['small.YAML', 'small'])
def test_a_sidecar_of_another_suffix_is_told_as_such(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SIDECAR, 'utf-8')
    with pytest.raises(ConfigError, match='is a file whose name ends in neither .yaml nor .yml'):
        arm_by_name(str(tmp_path / name))


def test_settings_and_scenes_name_the_file_of_an_arm_from_their_own_folder(
        written: Written, tmp_path: Path) -> None:
    written()
    folder = tmp_path / 'cell'
    folder.mkdir()
    (folder / 'mine.yaml').write_text('robot: {model: ../small.yaml}\n', 'utf-8')
    (folder / 'desk.yaml').write_text('robot: {model: ../small.yaml}\nobjects: []\n', 'utf-8')
    (folder / 'named.yaml').write_text('robot: {model: fr3}\n', 'utf-8')
    settings, scene = load_config(folder / 'mine.yaml'), load_scene(
        folder / 'desk.yaml', folder)
    for model in (settings.robot.model, scene.model):
        assert model is not None and Path(model).samefile(tmp_path / 'small.yaml')
        assert arm_by_name(model).name == 'small'
    assert load_config(folder / 'named.yaml').robot.model == 'fr3'


def test_a_tilted_hand_reaches_farther_than_one_from_above(arm: ArmModel) -> None:
    farthest = farthest_tilted(arm.branches, arm.span_m)
    assert arm.hand.reach_m[1] < farthest < arm.span_m


def test_a_camera_is_mounted_where_its_frame_says(written: Written) -> None:
    sidecar = f'{SIDECAR}camera: {{frame: palm, xyz: [0.07, 0, 0.04], fovy: 50, size: [320, 240]}}'
    arm = load_arm(written(sidecar)).arm
    assert arm.camera.T_hand_camera.position == pytest.approx((0.07, 0.0, 0.04), abs=1e-3)
    assert arm.camera.size_px == (320, 240)


def test_names_over_ros_are_those_of_the_sidecar(written: Written) -> None:
    arm = load_arm(written(f'{SIDECAR}ros: {{trajectory: mine/follow}}')).arm
    assert arm.ros.trajectory_action == 'mine/follow'
    assert arm.ros.gripper_action == 'small_gripper/gripper_action'


def test_a_finger_seems_no_larger_towards_what_is_held(arm: ArmModel) -> None:
    for body in arm.gripper.fingers:
        side = 1 if body.name == 'leftfinger' else -1
        for pad in body.pads:
            inner = min(side * part.centre[1] - part.size[1] / 2 for part in body.outline)
            outer = max(side * part.centre[1] + part.size[1] / 2 for part in body.outline)
            assert inner >= side * pad.centre[1] - pad.size[1] / 2 - 1e-9
            assert outer >= side * pad.centre[1] + pad.size[1] / 2 + 0.009


def test_a_camera_on_the_hand_looks_at_the_middle_from_several_sides(written: Written) -> None:
    arm = load_arm(written(f'{SIDECAR}camera: {{frame: palm, xyz: [0.06, 0, 0.03]}}')).arm
    middle, from_ = np.array([sum(arm.hand.reach_m) / 2, 0, 0]), []
    for _, joints in arm.look_postures:
        assert arm.limits.contain(np.array(joints))
        camera = arm.T_base_camera(arm.kinematics.forward(np.array(joints))).matrix()
        to = middle - camera[:3, 3]
        assert camera[:3, 2] @ to / np.linalg.norm(to) > 0.9999 and camera[2, 3] > 0.2
        from_.append(camera[:2, 3] - middle[:2])
    assert len(from_) >= 2 and min(np.linalg.norm(a - b) for k, a in enumerate(from_)
                                   for b in from_[:k]) > 0.1


@pytest.fixture
def desk_arm(tmp_path: Path) -> Path:
    """The arm of the tutorial, with its names over ROS."""
    ros = ''
    for block in blocks(ROOT / 'docs' / 'tutorials' / 'another_arm.md'):
        if block.title:
            (tmp_path / block.title).write_text(block.text, 'utf-8')
        elif block.language == 'yaml':
            ros += block.text
    path = tmp_path / 'desk_arm.yaml'
    path.write_text(path.read_text('utf-8') + ros, 'utf-8')
    return path


def test_the_arm_of_the_tutorial_has_its_names_over_ros(desk_arm: Path) -> None:
    arm = load_arm(desk_arm).arm
    assert arm.ros.trajectory_action == 'arm_controller/follow_joint_trajectory'
    assert arm.ros.gripper_action == 'gripper_controller/gripper_cmd'


def test_a_hand_on_the_link_of_the_last_joint_is_no_part_of_that_link(desk_arm: Path) -> None:
    arm = load_arm(desk_arm).arm
    assert not arm.shapes.links[6] and len(arm.shapes.hand) == 1
    assert arm.max_load_kg == pytest.approx(2.5 - 0.7, abs=0.01)
    assert arm.hand.reach_m[0] < 0.3 and arm.hand.reach_m[1] > 0.6
    assert arm.branches.name == 'formulas'
