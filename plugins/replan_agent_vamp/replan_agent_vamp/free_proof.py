# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Proves that the arm touches nothing on a stretch of its way, from a few postures of it.

Around every solid is a box with rounded edges. There is a simple lower bound on the distance of
two such boxes, and an upper bound on how far a part of the arm moves: the turn of each joint times
the part's distance from that joint's axis. What is farther away than that stays free. Nothing here
asks MuJoCo for a distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.gl import mujoco

BLOCKS = (40, 8)  # so many postures in a row are looked at together, first and then
SLACK_M = 2e-5  # for rounding: with 32 bits, places are off by less than 1e-6 m
FAR_M = 9.0  # the gap of a pair that is not checked
NEAR_M = 0.1  # the balls of two parts are this close: their shape counts

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE.value, mujoco.mjtGeom.mjGEOM_CAPSULE.value)
BOXED = (*ROUND, mujoco.mjtGeom.mjGEOM_BOX.value, mujoco.mjtGeom.mjGEOM_CYLINDER.value,
         mujoco.mjtGeom.mjGEOM_ELLIPSOID.value, mujoco.mjtGeom.mjGEOM_MESH.value)


class MovingGeoms:
    """What does not change while the objects of a model move: its solids and who checks whom.

    `link` (geoms,) is how many joints move a geom: 0 if it stands still. `half` and `radius` are
    the rounded box of each geom, about `centre` in its frame. The last `thick` of the `moving`
    geoms are wide in all directions; the others are so in z alone.
    """

    def __init__(self, model: mujoco.MjModel, joints: int) -> None:
        self.model, self.bodies = model, model.jnt_bodyid[:joints]
        links = np.zeros(model.nbody, dtype=int)
        for body in range(1, model.nbody):
            own = np.flatnonzero(self.bodies == body)
            links[body] = own[0] + 1 if len(own) else links[model.body_parentid[body]]
        self.link = links[model.geom_bodyid]
        solid = (model.geom_contype | model.geom_conaffinity) != 0
        self.known = bool(np.isin(model.geom_type[solid], BOXED).all())
        self.still = np.flatnonzero(solid & (self.link == 0))
        self.checked = _checked_pairs(model)
        self.radius = np.where(np.isin(model.geom_type, ROUND), model.geom_size[:, 0], 0.0)
        self.centre = model.geom_aabb[:, :3]
        self.half = model.geom_aabb[:, 3:] - self.radius[:, None]
        thick = (self.half[:, :2] > 0).any(axis=1)
        moving = solid & (self.link > 0)
        self.moving = np.concatenate([np.flatnonzero(moving & ~thick),
                                      np.flatnonzero(moving & thick)])
        self.thick = int((moving & thick).sum())
        self._sort(joints)

    def _sort(self, joints: int) -> None:
        """What belongs to which link: the moving parts, and the vectors that a proof makes."""
        self.links = self.link[self.moving] - 1
        self.moves = np.tri(joints)[..., None]
        self.by_link = [np.flatnonzero(self.links == link) for link in range(joints)]
        self.near = np.concatenate(self.by_link[-3:-1])
        wide = self.links[len(self.links) - self.thick:]
        owner = np.concatenate([self.links, self.links, wide, wide, np.arange(joints)])
        self.vectors_by_link = [np.flatnonzero(owner == link) for link in range(joints)]
        self.order = np.argsort(np.concatenate(self.vectors_by_link))


def _checked_pairs(model: mujoco.MjModel) -> Mask:
    """Which pairs of geoms (geoms, geoms) MuJoCo checks: not those that hang together."""
    weld = model.body_weldid[model.geom_bodyid]
    parent = model.body_weldid[model.body_parentid[weld]]
    joined = (weld[:, None] == parent) & (weld[:, None] != 0) & (weld != 0)
    joined |= weld[:, None] == weld
    excluded = np.zeros((model.nbody, model.nbody), dtype=bool)
    excluded[model.exclude_signature >> 16, model.exclude_signature & 0xFFFF] = True
    joined |= excluded[np.ix_(model.geom_bodyid, model.geom_bodyid)]
    return np.asarray(~(joined | joined.T))


class FreeProof:
    """Proofs for one scene. `data` has the places of all objects and of the fingers.

    `counts` (geoms, geoms) says which pairs must keep `clearance_m`.
    """

    def __init__(self, arm: MovingGeoms, data: mujoco.MjData, counts: Mask,
                 clearance_m: float) -> None:
        self._needed_m = clearance_m + SLACK_M
        self._links = arm.links
        self._radius = arm.radius[arm.moving].astype(np.float32)[:, None]
        self._moves, self._thick, self._order = arm.moves, arm.thick, arm.order
        self._fixed = _fixed_frames(arm, data)
        checked = arm.checked & counts
        self._arrange(arm, data)
        self._watch_still(arm, data, checked[np.ix_(arm.still, arm.moving)])
        self._watch_itself(arm, checked[np.ix_(arm.moving, arm.moving)])

    def doubtful(self, postures: FloatArray) -> Indices:
        """The numbers of the postures (N, joints) along a motion that are not proved free."""
        numbers = np.arange(len(postures))
        for size in BLOCKS:
            if not len(numbers):
                break
            whole = np.minimum(np.arange(-(-len(numbers) // size) * size), len(numbers) - 1)
            blocks = numbers[whole].reshape(-1, size)
            around = postures[blocks]
            turns = np.abs(around - around[:, size // 2, None])
            most = turns.max(axis=1)
            share = self._share(around[:, size // 2], most)[:, None]
            within = (turns <= (share * most)[:, None]).all(axis=2)  # never with a nan
            numbers = np.unique(blocks[~(within & (share > 0.0))])
        return numbers

    def _share(self, postures: FloatArray, turns: FloatArray) -> FloatArray:
        """The share (N,) of these turns (N, joints) by which the joints may leave a posture.

        As long as each joint's turn stays below it, nothing touches. It may be above 1.
        """
        frames = self._frames(postures)
        places = self._places(frames)
        # One joint after the other, from the base on: a turn does not change how far the rest of
        # the arm is from the axes of the next joints. So the distances at the posture are enough.
        ways = (self._reach(frames, places) * turns.T).cumsum(axis=1) + 1e-9
        shares = (self._still_gaps(places) - self._needed_m) / ways[self._links, -1]
        least = shares.min(axis=0)
        for gaps, inner, outer in self._own_gaps(frames, places):
            between = ways[outer, outer] - ways[outer, inner]  # the joints between the two
            shares = (gaps - self._needed_m) / np.maximum(between, 1e-9)
            np.minimum(least, shares.min(axis=0), out=least)
        return np.asarray(least)

    def _frames(self, postures: FloatArray) -> FloatArray:
        """The frames of the links (links, N, 4, 4)."""
        c, s = np.cos(postures).T[..., None], np.sin(postures).T[..., None]
        frames = np.empty((*c.shape[:2], 4, 4))
        x, y = self._fixed[:, None, :, 0], self._fixed[:, None, :, 1]
        frames[..., 0], frames[..., 1] = c * x + s * y, c * y - s * x
        frames[..., 2:] = self._fixed[:, None, :, 2:]
        for k in range(1, len(frames)):
            frames[k] = frames[k - 1] @ frames[k]
        return frames

    def _reach(self, frames: FloatArray, places: NDArray[np.float32]) -> FloatArray:
        """How far any point of a link is from a joint's axis, at most (links, joints, N)."""
        axis, origin = frames[..., :3, 2:].transpose(3, 2, 0, 1).astype(np.float32, order='C')
        gap = places[:3, -len(frames):, None] - origin[:, None]
        along = (gap * axis[:, None]).sum(axis=0)
        gap *= gap
        across = np.sqrt(np.maximum(gap.sum(axis=0) - along * along, 0.0))
        return np.asarray((across + self._size[:, None, None]) * self._moves)

    def _arrange(self, arm: MovingGeoms, data: mujoco.MjData) -> None:
        """Centres and half axes of all moving parts in the frames of their links, link by link."""
        body, moving = arm.bodies[self._links], arm.moving
        inverse = data.xmat[body].reshape(-1, 3, 3).swapaxes(1, 2)
        turned = data.geom_xmat[moving].reshape(-1, 3, 3)
        centre = data.geom_xpos[moving] + (turned @ arm.centre[moving][..., None])[..., 0]
        centre = (inverse @ (centre - data.xpos[body])[..., None])[..., 0]
        turned, half = inverse @ turned, arm.half[moving]
        self._centre, self._turned, self._halves = centre, turned, half
        self._ball = np.sqrt((half * half).sum(axis=1)) + arm.radius[moving]
        x, y, z = (turned * half[:, None]).transpose(2, 0, 1)
        middle, self._size = _balls_of_links(arm.by_link, centre, self._ball)
        thin = len(centre) - arm.thick
        vectors = np.concatenate([centre, z, x[thin:], y[thin:], middle])
        points = np.zeros((len(vectors), 1))
        points[:len(centre)] = points[-len(middle):] = 1.0
        columns = np.concatenate([vectors, points], axis=1).T
        self._columns = [columns[:, own] for own in arm.vectors_by_link]

    def _places(self, frames: FloatArray) -> NDArray[np.float32]:
        """All centres and half axes in the world, homogeneous (4, vectors, N)."""
        links, count = frames.shape[:2]
        rows = frames.reshape(links, -1, 4)
        found = np.concatenate([row @ columns for row, columns in zip(rows, self._columns)],
                               axis=1).astype(np.float32)
        return found.reshape(count, 4, -1).transpose(1, 2, 0)[:, self._order]

    def _watch_still(self, arm: MovingGeoms, data: mujoco.MjData, checked: Mask) -> None:
        """What stands still (K), and which of the moving parts must not touch it."""
        still, checked = arm.still[checked.any(axis=1)], checked[checked.any(axis=1)]
        turned = data.geom_xmat[still].reshape(-1, 3, 3)
        centre = data.geom_xpos[still] + (turned @ arm.centre[still][..., None])[..., 0]
        inverse = turned.swapaxes(1, 2)
        into = np.concatenate([inverse, -inverse @ centre[..., None]], axis=2)
        self._into = into.swapaxes(0, 1).reshape(-1, 4).astype(np.float32)
        self._half = arm.half[still].T.reshape(-1, 1).astype(np.float32)
        less = np.where(checked, arm.radius[still][:, None], -FAR_M)
        self._less = less[..., None].astype(np.float32)

    def _still_gaps(self, places: NDArray[np.float32]) -> NDArray[np.float32]:
        """From each moving part to what stands still, at least (parts, N).

        There are two bounds, and the larger one counts. In the frame of a still box, the other one
        is in a box with parallel sides. And it is beyond the plane that touches the still box at
        its point nearest to the other's centre.
        """
        parts, count = len(self._radius), places.shape[2]
        if not len(self._less):
            return np.full((parts, count), FAR_M, dtype=np.float32)
        whole, thick = parts * count, self._thick * count
        to = self._into @ places[:, :parts].reshape(4, -1)
        to -= np.minimum(np.maximum(to, -self._half), self._half)  # from the nearest point
        to = to.reshape(3, -1, whole)
        wide = (self._into @ places[:, parts:-len(self._size)].reshape(4, -1)
                ).reshape(3, len(self._less), -1)
        distance = np.sqrt(np.einsum('ikm,ikm->km', to, to))
        beyond, behind = np.abs(to), np.zeros_like(distance)
        for first, start in ((0, 0), (whole - thick, whole), (whole - thick, whole + thick)):
            axis = wide[..., start:start + whole - first]
            behind[:, first:] += np.abs(np.einsum('ikm,ikm->km', to[..., first:], axis))
            beyond[..., first:] -= np.abs(axis)
        np.maximum(beyond, 0.0, out=beyond)
        gaps = np.sqrt(np.einsum('ikm,ikm->km', beyond, beyond))
        behind /= np.maximum(distance, 1e-9)
        np.maximum(gaps, distance - behind, out=gaps)
        gaps = gaps.reshape(-1, parts, count)
        gaps -= self._less
        return np.asarray(gaps.min(axis=0) - self._radius)

    def _watch_itself(self, arm: MovingGeoms, checked: Mask) -> None:
        """Which parts of the arm must not touch.

        The parts of the last link (with hand, fingers and what they hold) come close to the two
        links before it, so for these pairs there are boxes. For all others, balls are enough as
        long as they are far apart: one around each part, and one around the last link. An arm that
        is folded has long parts side by side: sticks with round ends.
        """
        links, last = self._links, len(self._fixed) - 1
        near, tool = arm.near, arm.by_link[last]
        inner, outer = np.nonzero(checked & (links[:, None] < links) & (links < last))
        against_tool = np.flatnonzero(checked[:, tool].any(axis=1) & (links < last - 2))
        self._inner = np.concatenate([inner, against_tool])
        self._outer = np.concatenate([outer, np.full(len(against_tool), -1)])  # the last place
        self._pairs = links[self._inner], np.append(links, last)[self._outer]
        balls = np.append(self._ball, self._size[last])
        self._radii = (balls[self._inner] + balls[self._outer]).astype(np.float32)[:, None]
        self._wide = np.sqrt((self._halves[:, :2]**2).sum(axis=1)) + self._radius[:, 0]
        self._sticks = self._outer >= 0
        self._box_the_tool(near, tool, checked[np.ix_(near, tool)])

    def _box_the_tool(self, near: Indices, tool: Indices, checked: Mask) -> None:
        """The parts of the last link as boxes with the sides of its largest part."""
        turned = self._turned[tool]
        self._near, sides = near, turned[self._ball[tool].argmax()].T
        half = np.abs(sides @ (turned * self._halves[tool, None])).sum(axis=2).T
        self._sides = sides.astype(np.float32)
        self._tool_centre, self._tool_half = (
            values[:, None, :, None].astype(np.float32)
            for values in (sides @ self._centre[tool].T, half))
        less = np.where(checked, self._wide[near, None] + self._radius[tool, 0], -FAR_M)
        self._tool_less = less[..., None].astype(np.float32)

    def _own_gaps(self, frames: FloatArray, places: NDArray[np.float32]
                  ) -> Iterator[tuple[NDArray[Any], Indices, Indices]]:
        """Gaps between parts of the arm, at least (pairs, N), with their inner and outer links."""
        gaps = _lengths(places[:3, self._inner] - places[:3, self._outer]) - self._radii
        close = np.flatnonzero(self._sticks & (gaps.min(axis=1) < NEAR_M))
        gaps[close] = np.maximum(gaps[close], self._stick_gaps(places, close))
        yield (gaps, *self._pairs)
        parts, last = len(self._links), len(frames) - 1
        tool = frames[last, :, :3].transpose(1, 2, 0).astype(np.float32, order='C')
        turn = (self._sides[..., None, None] * tool[:, :3].swapaxes(0, 1)).sum(axis=1)
        centre = places[:3, self._near] - tool[:, None, 3]
        centre = (turn[:, :, None] * centre).sum(axis=1)
        long = np.abs((turn[:, :, None] * places[:3, parts + self._near]).sum(axis=1))
        beyond = np.abs(centre[:, :, None] - self._tool_centre)
        beyond -= long[:, :, None] + self._tool_half
        gaps = _lengths(np.maximum(beyond, 0.0, out=beyond)) - self._tool_less
        links = self._links[self._near]
        yield gaps.min(axis=1), links, np.full(len(links), last)

    def _stick_gaps(self, places: NDArray[np.float32], pairs: Indices) -> NDArray[Any]:
        """Gaps (pairs, N) between these parts, each as a stick with round ends, at least."""
        inner, outer, long = self._inner[pairs], self._outer[pairs], len(self._links)
        gap = places[:3, outer] - places[:3, inner]
        one, other = places[:3, long + inner], places[:3, long + outer]
        nearest = np.maximum(_beside(gap, one, other), _beside(gap, other, one))
        return nearest - (self._wide[inner] + self._wide[outer])[:, None]


def _beside(gap: NDArray[Any], half: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """The distance of two lines, at least, from how far they are apart along and across the first.

    `gap` (3, ...) leads from the middle of the first to that of the second; `half` and `other`
    lead from their middles to their ends.
    """
    size = _lengths(half.copy())
    axis = half / np.maximum(size, 1e-9)
    ahead, lean = (gap * axis).sum(axis=0), (other * axis).sum(axis=0)
    along = np.maximum(np.abs(ahead) - np.abs(lean) - size, 0.0)
    across = _lengths(gap - ahead * axis) - _lengths(other - lean * axis)
    return np.asarray(np.hypot(along, np.maximum(across, 0.0)))


def _lengths(vectors: NDArray[Any]) -> NDArray[Any]:
    """The lengths of vectors (3, ...)."""
    vectors *= vectors
    return np.asarray(np.sqrt(vectors[0] + vectors[1] + vectors[2]))


def _fixed_frames(arm: MovingGeoms, data: mujoco.MjData) -> FloatArray:
    """The frames of the links (links, 4, 4) in the ones before, with all joints at 0."""
    frames = np.tile(np.eye(4), (len(arm.bodies), 1, 1))
    for frame, body in zip(frames, arm.bodies):
        turned = np.empty(9)
        mujoco.mju_quat2Mat(turned, arm.model.body_quat[body])
        frame[:3, :3], frame[:3, 3] = turned.reshape(3, 3), arm.model.body_pos[body]
    base = np.eye(4)
    body = arm.model.body_parentid[arm.bodies[0]]
    base[:3, :3], base[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
    frames[0] = base @ frames[0]
    return frames


def _balls_of_links(by_link: Sequence[Indices], centres: FloatArray,
                    radii: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A ball around the balls of each link: its middle (links, 3) and radius (links,)."""
    low, high = centres - radii[:, None], centres + radii[:, None]
    middle = np.array([(low[own].min(axis=0) + high[own].max(axis=0)) / 2 for own in by_link])
    gaps = [centres[own] - about for own, about in zip(by_link, middle)]
    return middle, np.array([(np.sqrt((gap * gap).sum(axis=1)) + radii[own]).max()
                             for gap, own in zip(gaps, by_link)])
