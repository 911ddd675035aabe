# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A measured hand as values: its bodies that follow the width, and its dimensions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from replan_agent.arms.arm_model import Box, FingerBody, HandMap, Hull, Part
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray, Pose

from .compiled import Compiled, inverse, matrix
from .measured_hand import MOST_PAD_M, USUAL_M, Group, MeasuredHand, is_hinge
from .pieces import beyond, clouds, fewer

BEHIND_PAD_M = 0.0005  # how far the rest of a finger stays behind the face of its pad
WIDTHS, TIP_M, BESIDE_PAD_M = 17, 0.008, 0.005
SEEN_M = 0.01  # a finger in a picture may be so much larger: noise, and details of its look


def corners_of(hull_points: FloatArray) -> Hull:
    return Hull(tuple((float(x), float(y), float(z)) for x, y, z in hull_points))


def link_hulls(compiled: Compiled, bodies: Iterable[int], frame: FloatArray) -> tuple[Hull, ...]:
    """The convex pieces of bodies that are one, in a frame of the model's world."""
    return tuple(corners_of(fewer(cloud)) for geom in compiled.shapes(bodies)
                 for cloud in clouds(_points(compiled, geom, frame), compiled.faces(geom)))


def hand_map(hand: MeasuredHand) -> HandMap:
    """The fingers as bodies whose joints are polynomials of the width."""
    compiled = hand.compiled
    turns = _frames_in_bodies(hand)
    names = _names(hand)
    bodies = []
    for k, group in enumerate(hand.fingers):
        assert group.joint is not None
        compiled.move({})
        mine = compiled.body_pose(group.bodies[0]) @ turns[k]
        parent = _parent(hand, group)
        before = (hand.T_world_hand if parent is None
                  else compiled.body_pose(hand.fingers[parent].bodies[0]) @ turns[parent])
        axis = mine[:3, :3].T @ compiled.data.xaxis[group.joint]
        compiled.move(hand.at(_usual(hand)))
        mine_usual = compiled.body_pose(group.bodies[0]) @ turns[k]
        pads = tuple(_box(_points(compiled, geom, mine_usual)) for geom in group.pads)
        shapes = _finger_shapes(compiled, group, mine_usual, pads, names[k])
        bodies.append(FingerBody(
            names[k], 'hand' if parent is None else names[parent],
            Pose.from_matrix(inverse(before) @ mine), compiled.model.joint(group.joint).name,
            (float(axis[0]), float(axis[1]), float(axis[2])), not is_hinge(compiled, group.joint),
            tuple(map(float, hand.laws[:, k])), compiled.inertia(group.bodies, mine_usual), shapes,
            pads, _outline((*shapes, *pads), inverse(hand.T_world_hand) @ mine_usual)))
    driver = next(k for k, group in enumerate(hand.fingers) if group.joint == hand.driver)
    return HandMap(tuple(bodies), (compiled.model.joint(hand.driver).name,),
                   tuple(map(float, hand.laws[:, driver])), float(hand.widths[0]))


def hand_shape(hand: MeasuredHand, force_n: tuple[float, float], speed_m_s: float,
               reach_m: tuple[float, float], stretched_m: tuple[float, float]) -> HandShape:
    """What the rest of the program knows of the hand: boxes around palm and fingers."""
    compiled, tcp = hand.compiled, hand.tcp_m
    compiled.move(hand.at(_usual(hand)))
    left = np.concatenate([_points(compiled, g, hand.T_world_hand)
                           for g in _finger(hand, 1).pads])
    pad_height = min(float(np.ptp(left[:, 2])), MOST_PAD_M)
    pieces_of = {group: _pieces(hand, group) for group in (hand.palm, *hand.fingers)}

    def pieces(groups: Iterable[Group]) -> list[FloatArray]:
        return [_moved(hand, group, piece) for group in groups for piece in pieces_of[group]]

    def cloud(groups: Iterable[Group]) -> FloatArray:
        return np.concatenate([np.zeros((0, 3)), *map(_filled, pieces(groups))])

    palm = cloud([hand.palm])
    tip, palm_above = -np.inf, tcp - float(palm[:, 2].min())
    thick = {'tip': 0.0, 'finger': 0.0, 'block': 0.0}
    side = 0.0
    for width in np.linspace(0.0, float(hand.widths[0]), WIDTHS):
        compiled.move(hand.at(float(width)))
        finger = cloud(group for group in hand.fingers if group.pads)
        tip = max(tip, float(finger[:, 2].max()))
        drop = float(np.interp(width, hand.widths[::-1], hand.drops[::-1]))
        other = pieces([hand.palm, *(group for group in hand.fingers if not group.pads)])
        palm_above = min([palm_above, *(tcp + drop - top_within(piece, float(width) / 2)
                                        for piece in other)])
        levels = {'tip': finger[finger[:, 2] > finger[:, 2].max() - TIP_M],
                  'finger': finger[finger[:, 2] > tcp + drop - pad_height / 2 - BESIDE_PAD_M],
                  'block': cloud(hand.fingers)}
        for name, points in levels.items():
            thick[name] = max(thick[name], float(np.abs(points[:, 1]).max() - width / 2))
        side = max(side, float(np.abs(levels['finger'][:, 0]).max()))
    palm_above = max(palm_above, pad_height / 2)
    return HandShape(
        tcp_m=tcp, tip_beyond_tcp_m=tip - tcp, palm_above_tcp_m=palm_above,
        pad_height_m=pad_height, pad_width_m=float(np.ptp(left[:, 0])), half_finger_m=side,
        tip_m=thick['tip'], finger_m=thick['finger'], block_m=max(thick['block'], thick['finger']),
        block_behind_m=min(pad_height / 2 + BESIDE_PAD_M - float(hand.drops.min()), palm_above),
        half_width_m=float(np.abs(palm[:, 1]).max()), half_depth_m=float(np.abs(palm[:, 0]).max()),
        height_m=max(tcp - palm_above - float(palm[:, 2].min()), 0.01),
        max_width_m=float(hand.widths[0]), max_force_n=force_n[1], max_speed_m_s=speed_m_s,
        reach_m=reach_m, stretched_m=stretched_m, least_force_n=force_n[0],
        drop=tuple(map(float, hand.fitted(hand.drops))) if np.ptp(hand.drops) > 1e-5 else ())


def _usual(hand: MeasuredHand) -> float:
    return min(USUAL_M, float(hand.widths[0]) / 2)


def _points(compiled: Compiled, geom: int, frame: FloatArray) -> FloatArray:
    to_frame = inverse(frame)
    return np.asarray(compiled.corners(geom) @ to_frame[:3, :3].T + to_frame[:3, 3])


def _pieces(hand: MeasuredHand, group: Group) -> list[FloatArray]:
    """The corners (N, 3) of the convex pieces of a group, in the frame of its first body."""
    frame = hand.compiled.body_pose(group.bodies[0])
    return [fewer(_points(hand.compiled, geom, frame))
            for geom in hand.compiled.shapes(group.bodies)]


def _filled(corners: FloatArray) -> FloatArray:
    """The corners of a convex piece, and the middles between them."""
    middles = (corners[:, None] + corners[None]).reshape(-1, 3) / 2
    return np.concatenate([corners, middles])


def top_within(corners: FloatArray, half_m: float) -> float:
    """How far out (z) a convex piece is within `half_m` of the middle (y); -inf if it is not."""
    y, z = corners[:, 1], corners[:, 2]
    found = [z[np.abs(y) <= half_m]]
    for side in (-half_m, half_m):  # where its edges, and lines inside of it, meet that plane
        first, second = np.nonzero((y[:, None] < side) & (y[None] > side))
        share = (side - y[first]) / (y[second] - y[first])
        found.append(z[first] + share * (z[second] - z[first]))
    return float(np.concatenate(found).max(initial=-np.inf))


def _moved(hand: MeasuredHand, group: Group, cloud: FloatArray) -> FloatArray:
    """The points of a group where it is now, in the hand's frame."""
    T = inverse(hand.T_world_hand) @ hand.compiled.body_pose(group.bodies[0])
    return np.asarray(cloud @ T[:3, :3].T + T[:3, 3])


def _box(points: FloatArray) -> Box:
    low, high = points.min(axis=0), points.max(axis=0)
    (x, y, z), (a, b, c) = ((low + high) / 2).tolist(), (high - low).tolist()
    return Box((x, y, z), (a, b, c))


def _outline(parts: tuple[Part, ...], T_hand_finger: FloatArray) -> tuple[Part, ...]:
    """Boxes around the parts as a camera may see them: not larger towards what is held.

    A joint may be in the middle of the hand: where the parts are says which side this is.
    """
    boxes = [part.box if isinstance(part, Hull) else part for part in parts]
    side = sum(float((T_hand_finger @ [*box.centre, 1])[1]) for box in boxes
               if isinstance(box, Box))
    found = []
    for box in boxes:
        assert isinstance(box, Box)
        half = np.array(box.size) / 2
        low, high = np.array(box.centre) - half - SEEN_M, np.array(box.centre) + half + SEEN_M
        if side > 0:
            low[1] += SEEN_M
        else:
            high[1] -= SEEN_M
        found.append(_box(np.stack([low, high])))
    return tuple(found)


def _frames_in_bodies(hand: MeasuredHand) -> list[FloatArray]:
    """T_body_frame of each finger: at its joint, turned as the hand where it usually grasps."""
    compiled = hand.compiled
    compiled.move(hand.at(_usual(hand)))
    return [inverse(compiled.body_pose(group.bodies[0]))
            @ matrix(hand.T_world_hand[:3, :3], compiled.data.xanchor[group.joint])
            for group in hand.fingers]


def _parent(hand: MeasuredHand, group: Group) -> int | None:
    for body in hand.compiled.parents(group.bodies[0])[1:]:
        for k, other in enumerate(hand.fingers):
            if body in other.bodies:
                return k
    return None


def _finger(hand: MeasuredHand, side: int) -> Group:
    """The finger with the most of the pads on this side: 1 for y > 0, else -1."""
    return max(hand.fingers, key=lambda group: (
        bool(group.pads) and side * _middle_y(hand, group) > 0, len(group.pads)))


def _middle_y(hand: MeasuredHand, group: Group) -> float:
    return float(np.concatenate([_points(hand.compiled, geom, hand.T_world_hand)
                                 for geom in group.pads])[:, 1].mean())


def _names(hand: MeasuredHand) -> list[str]:
    """leftfinger and rightfinger have the pads; others are named after their bodies."""
    hand.compiled.move(hand.at(_usual(hand)))
    left, right = _finger(hand, 1), _finger(hand, -1)
    names = []
    for k, group in enumerate(hand.fingers):
        names.append('leftfinger' if group is left else 'rightfinger' if group is right
                     else f'finger_part{k}')
    return names


def _finger_shapes(compiled: Compiled, group: Group, frame: FloatArray, pads: tuple[Box, ...],
                   name: str) -> tuple[Part, ...]:
    """Its convex pieces without the pads, none of them in front of a pad's face."""
    found = []
    geoms = [geom for geom in compiled.shapes(group.bodies) if geom not in group.pads]
    side = (0.0, 1.0, 0.0) if name == 'leftfinger' else (0.0, -1.0, 0.0)
    for geom in geoms:
        for cloud in clouds(_points(compiled, geom, frame), compiled.faces(geom)):
            kept: FloatArray | None = cloud
            if pads:
                face = min(side[1] * pad.centre[1] - pad.size[1] / 2 for pad in pads)
                kept = beyond(cloud, np.array(side), face + BEHIND_PAD_M)
            if kept is not None:
                found.append(corners_of(fewer(kept, turned=not pads)))
    return tuple(found)
