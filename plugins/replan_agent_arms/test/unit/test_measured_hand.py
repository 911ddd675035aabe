# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the pads of a hand are while it closes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from replan_agent_arms.compiled import Compiled
from replan_agent_arms.hand_build import hand_shape, top_within
from replan_agent_arms.measured_hand import MeasuredHand, measured_hand
from replan_agent_arms.model_text import model_text
from replan_agent_arms.sidecar import read_sidecar
from small_arms import SIDECAR, linkage, six_joints

from replan_agent.text.setting import ConfigError

LINKED = SIDECAR.partition('gripper:')[0] + """
hand: {model: hand.xml, at: palm}
gripper: {joint: l_knuckle, open: 0.0, closed: 0.7, pads: [l_pad, r_pad], force: [5, 50],
          speed: 0.1}
"""
Written = Callable[..., Path]


def hand_of(path: Path) -> MeasuredHand:
    file = read_sidecar(path)
    if file.hand is None:
        return measured_hand(Compiled(model_text(file.model)), file, own_model=False)
    return measured_hand(Compiled(model_text(file.hand)), file, own_model=True)


def linked(written: Written, sidecar: str = LINKED, hand: str = '') -> MeasuredHand:
    path = written(sidecar)
    (path.parent / 'hand.xml').write_text(hand or linkage(), 'utf-8')
    return hand_of(path)


def test_a_slanted_part_is_as_far_out_as_where_it_meets_the_thing_between_the_pads() -> None:
    slanted = np.array([(0, 0.01, 0.0), (0, 0.05, 0.04), (0.01, 0.01, 0.0), (0.01, 0.05, 0.04)])
    assert top_within(slanted, 0.03) == pytest.approx(0.02)
    assert top_within(slanted, 0.06) == pytest.approx(0.04)
    assert top_within(slanted, 0.005) == -np.inf


def test_the_palm_is_as_near_as_where_the_pads_are_drawn_in(written: Written) -> None:
    hand = linked(written)
    shape = hand_shape(hand, (5, 50), 0.1, (0.3, 0.7), (0.6, 0.8))
    hand.compiled.move(hand.at(float(hand.widths[0])))
    pads = hand.tcp_m + hand.drops[0]
    assert hand.drops[0] < 0 and shape.palm_above_tcp_m <= pads - 0.05


def test_sliding_fingers_are_as_far_apart_as_they_slide(written: Written) -> None:
    hand = hand_of(written())
    assert hand.widths[0] == pytest.approx(0.08) and hand.widths[-1] == pytest.approx(0, abs=1e-9)
    assert np.abs(hand.drops).max() < 1e-9
    assert hand.laws[:2, 0] == pytest.approx((0, 0.5), abs=1e-9)
    assert hand.root is not None and hand.compiled.model.body(hand.root).name == 'palm'


def test_a_linkage_keeps_its_pads_upright_and_moves_them_out(written: Written) -> None:
    hand = linked(written)
    tilts = hand.values[:, 0] + hand.values[:, 1]  # crank and finger turn against each other
    assert np.abs(tilts).max() < 1e-6
    crank = np.hypot(0.03, 0.05)
    angle = np.arctan2(0.05, 0.03) + hand.values[:, 0]
    assert np.allclose(hand.widths, 2 * (0.03 + crank * np.cos(angle) - 0.022), atol=1e-6)
    assert np.allclose(np.diff(hand.drops), crank * np.diff(np.sin(angle)), atol=1e-6)


def test_the_tool_is_between_the_pads_with_z_out_and_y_across(written: Written) -> None:
    T = linked(written).T_world_hand
    assert np.allclose(T[:3, 2], (0, 0, 1)) and np.allclose(T[:3, 1], (0, 1, 0))


@pytest.mark.parametrize('old, new, said', [
    ('open: 0.0, closed: 0.7', 'open: 0.7, closed: 0.0',
     'gripper.open: the pads touch there: they are -2.5 mm apart; swap open and closed'),
    ('joint: l_knuckle', 'joint: l_nuckle', "hand.xml has no joint named 'l_nuckle'"),
    ('pads: [l_pad, r_pad]', 'pads: [l_pad, palm]', 'a pad is on palm, which does not move'),
    ('pads: [l_pad, r_pad]', 'pads: [l_pad, r_pat]', "has no geom, body or link named 'r_pat'"),
    ('hand:', 'tool: {frame: palm, rpy: [0, 0, 1.5708]}\nhand:',
     'tool: the tool frame is 90 degrees off: the fingers close along its x'),
    *(('hand:', f'tool: {{frame: palm, {there}}}\nhand:', said) for there, said in (
        ('xyz: [0, 0, 0.12], rpy: [3.14159, 0, 0]', 'tool: the tool frame is upside down: its z '
         'points into the palm, not out of it to the finger tips; write tool: {frame: palm, '),
        ('xyz: [0, 0, 0.12], rpy: [1.5708, 0, 0]', 'the fingers close along its z, not along its '
         'y: vertically, when it points down'),
        ('xyz: [0, 0, 0.12], rpy: [0, 0.5, 0]', 'the tool frame is 29 degrees off: its z does '),
        ('xyz: [0, 0, 0.12], rpy: [0, 0, 0.7854]', '45 degrees off: the fingers do not close alo'),
        ('xyz: [0, 0, -0.05]', 'mm behind the pads, in the palm or behind it; write tool: {frame'),
        ('xyz: [0, 0, 0.95]', 'mm beyond the pads; write tool: {frame: palm, xyz: [0, 0, 0.1'),
        ('xyz: [0, 0.03, 0.12]', 'the tool centre point is 30 mm beside the middle between'))),
    ('hand:', 'tool: {frame: tool9}\nhand:', "has no body, link or site named 'tool9'"),
])
def test_a_hand_that_does_not_close_is_one_sentence(written: Written, old: str, new: str,
                                                    said: str) -> None:
    with pytest.raises(ConfigError) as error:
        linked(written, LINKED.replace(old, new))
    assert said in str(error.value)


def test_the_tool_that_a_sentence_writes_is_right(written: Written) -> None:
    with pytest.raises(ConfigError) as error:
        linked(written, LINKED.replace('hand:', 'tool: {frame: palm}\nhand:'))
    line = str(error.value).partition('; write ')[2].partition(', or leave')[0]
    found = linked(written, LINKED.replace('hand:', f'{line}\nhand:'))
    computed = linked(written)
    tools = [hand.T_world_hand @ [0, 0, hand.tcp_m, 1] for hand in (found, computed)]
    assert np.abs(tools[0] - tools[1]).max() < 1e-3


def test_pads_in_either_order_are_the_same_hand(written: Written) -> None:
    one, other = (linked(written, LINKED.replace('[l_pad, r_pad]', pads))
                  for pads in ('[l_pad, r_pad]', '[r_pad, l_pad]'))
    assert np.allclose(one.widths, other.widths) and np.allclose(one.drops, other.drops)
    assert np.allclose(one.T_world_hand[:3, 2:], other.T_world_hand[:3, 2:])


@pytest.mark.parametrize('old, new, said', [
    ('open: 0.04', 'open: 0.4', 'gripper.open: 0.4 is outside of the range of left_slide in '
     'arm.urdf, 0 to 0.04; write a number in it'),
    ('closed: 0.0', 'closed: -0.01', 'gripper.closed: -0.01 is outside of the range'),
])
def test_a_position_that_the_joint_does_not_have_is_refused(written: Written, old: str, new: str,
                                                            said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        hand_of(written(SIDECAR.replace(old, new)))


@pytest.mark.parametrize('closed', [0.7, 0.9])
def test_a_range_without_a_unit_may_be_in_radians(written: Written, closed: float) -> None:
    hand = linkage().replace('<compiler angle="radian"/>', '').replace(
        '<joint name="l_knuckle"', '<joint name="l_knuckle" range="0 0.8"')
    said = LINKED.replace('closed: 0.7', f'closed: {closed}')
    if closed < 0.8:
        assert linked(written, said, hand).widths[-1] < 0.001
    else:
        with pytest.raises(ConfigError, match='0.9 is outside of the range of l_knuckle'):
            linked(written, said, hand)


def test_a_joint_of_the_arm_does_not_follow_the_hand(written: Written) -> None:
    sidecar = SIDECAR.replace('  speed: 0.1', '  speed: 0.1\n  follow: {elbow: 1.0}')
    with pytest.raises(ConfigError, match='gripper.follow: elbow is no joint of the hand; it has: '
                       'left_slide, right_slide'):
        hand_of(written(sidecar))


@pytest.mark.parametrize('positions', [('0.04', '0.0'), ('0.0', '0.04')])
def test_fingers_that_go_to_the_same_side_are_told_as_such(
        written: Written, positions: tuple[str, str]) -> None:
    same = six_joints().replace('multiplier="1"', 'multiplier="-1"')
    sidecar = SIDECAR.replace('open: 0.04', f'open: {positions[0]}').replace(
        'closed: 0.0', f'closed: {positions[1]}')
    with pytest.raises(ConfigError, match=r'gripper.closed: from open to closed the pads stay 0.0 '
                       'mm apart; if both fingers go to the same side, turn the sign of one'):
        hand_of(written(sidecar, same))


@pytest.mark.parametrize('factor', ['0', '0.01'])
def test_a_finger_that_stays_where_it_is_is_refused(written: Written, factor: str) -> None:
    still = six_joints().replace('multiplier="1"', f'multiplier="{factor}"')
    with pytest.raises(ConfigError, match='a pad is on right_pad, which does not move when the'):
        hand_of(written(model=still))


def test_a_joint_that_nothing_moves_is_asked_about(written: Written) -> None:
    loose = linkage().replace('<connect body1="l_finger" body2="l_rod" anchor="0 0.02 0"/>', '')
    with pytest.raises(ConfigError, match=r'gripper.follow: hand.xml does not say how l_(tip|bar) '
                       r'moves when the hand closes; for example: follow: \{l_'):
        linked(written, hand=loose)


def test_follow_says_how_a_loose_joint_moves(written: Written) -> None:
    loose = linkage().replace('<connect body1="l_finger" body2="l_rod" anchor="0 0.02 0"/>', '')
    said = LINKED.replace('speed: 0.1', 'speed: 0.1, follow: {l_tip: -1, l_bar: 1}')
    hand = linked(written, said, loose)
    assert np.allclose(hand.values[:, 0], -hand.values[:, 1])
