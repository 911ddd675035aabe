# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Perception from robosuite's camera in a scene whose furniture is known.

The furniture is where the scene file says. Everything that moves is seen in the picture. A thing
gets its name from the scene file if its colour and its shape are those described there. If the
picture alone does not tell its shape, it is the one described, where the points show it to stand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent import ConfigError, Context, PerceptionParts, Pose, Scene, SceneObject
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_WALL_M
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.camera.visibility import seen_through_share
from replan_agent.perceive.camera.whole_things import THINNEST_M
from replan_agent.perceive.looks.colour_depth import SEEN_PAST_SHARE, ColourDepthPerception
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec
from replan_agent.robot.robot_protocols import Camera

from .furniture import area_of, furniture_of, known_things, scene_of
from .known_shape import covers, standing
from .tasks import PICK_PLACE

ON_WALL_M = 0.009  # a point this near to a wall of the furniture shows the wall
THICK_M = 0.02  # of a wall of a bin, from its inside outwards; that of the file is thinner
PARTLY_M = 0.015  # a thing that seems this much smaller than described is partly hidden
FOOT_HIDDEN_M = 0.06  # behind the wall of the tray or of a bin
SAME_HEIGHT_M, SAME_PLACE_M = 0.01, 0.04
MOST_UNLIKE = 0.5  # a wrong colour and 4 mm too large, or 41 mm in all sizes together
SURE = 0.1  # the right colour, and 8 mm too large or 16 mm too small in all sizes together
# Other colours that it may show: print, or its own in the shade.
PRINT = {'cereal': ('orange', 'yellow'), 'can': ('grey',), 'milk': ('grey',), 'bread': ('wood',)}
LARGER, SMALLER = 12.0, 6.0  # per m of size; what stands behind another thing seems smaller
WRONG_COLOUR = 0.45


@dataclass(frozen=True)
class _Box:
    """An upright box in the base frame: centre and half size (m)."""

    centre: np.ndarray
    half: np.ndarray

    def near(self, points: np.ndarray, within: float) -> np.ndarray:
        """Which of the points (3, n) are in the box or this near to it."""
        inside = np.ones(points.shape[1], bool)
        for along, middle, half in zip(points, self.centre, self.half):
            inside &= np.abs(along - middle) <= half + within
        return inside


class WithoutFurniture:
    """A camera whose pictures have no depth where they show walls, or what the arm stands on."""

    def __init__(self, camera: Camera, furniture: Sequence[SceneObject]) -> None:
        self._camera = camera
        self._walls = [wall for each in furniture for wall in _walls(each)]
        self._whole: View | None = None  # the last picture, with the walls

    def capture(self, ctx: Context) -> CameraFrame:
        frame = self._camera.capture(ctx)
        self._whole = view = View(frame)
        points = np.moveaxis(view.origin + view.depth[..., None] * view.rays, -1, 0)
        points = np.ascontiguousarray(points.reshape(3, -1), np.float32)
        low = min(wall.centre[2] - wall.half[2] for wall in self._walls) - ON_WALL_M
        high = max(wall.centre[2] + wall.half[2] for wall in self._walls) + ON_WALL_M
        level = np.flatnonzero((points[2] >= low) & (points[2] <= high))
        points = points[:, level]
        depth = frame.depth.astype(np.float32).ravel()
        for wall in self._walls:
            depth[level[wall.near(points, ON_WALL_M)]] = 0
        return replace(frame, depth=depth.reshape(frame.depth.shape))

    def sees_past(self, thing: SceneObject) -> bool:
        """Whether the last picture shows what is behind this thing's place, walls as well."""
        return (self._whole is not None
                and seen_through_share(self._whole, thing) >= SEEN_PAST_SHARE)


def _walls(thing: SceneObject) -> list[_Box]:
    centre, half = np.array(thing.position), np.array(thing.size) / 2
    if thing.shape is not Shape.BIN:
        return [_Box(centre, half)]
    walls = []
    for axis in (0, 1):
        for side in (-1, 1):
            middle, size = centre.copy(), half.copy()
            middle[axis] += side * (half[axis] - CONTAINER_WALL_M + THICK_M / 2)
            size[axis] = THICK_M / 2
            size[1 - axis] += THICK_M
            walls.append(_Box(middle, size))
    return walls


class KnownScenePerception:
    """What the camera shows, with known furniture and known names."""

    name = 'robosuite_camera'
    uses_model = False

    def __init__(self, seen: ColourDepthPerception, camera: WithoutFurniture,
                 furniture: Sequence[SceneObject], things: Sequence[ObjectSpec]) -> None:
        self._seen, self._furniture, self._things = seen, tuple(furniture), tuple(things)
        self._inside: dict[str, FloatArray] = {}  # T_seen_known of things of unclear shape
        self._known: dict[str, SceneObject] = {}  # as they were last seen whole
        self.is_hidden, self.sees_past = seen.is_hidden, camera.sees_past

    def observe(self, ctx: Context) -> Scene:
        """The things that the camera shows now, and the furniture."""
        scene = self._seen.observe(ctx)
        for fit, name in self._recognised():
            scene = self._seen.call(fit, name)
        things = self._without_print([self._whole(self._with_shape(thing, scene.held), scene.held)
                                      for thing in scene.objects])
        furniture = tuple(replace(each, seen_at=scene.stamp) for each in self._furniture)
        return replace(scene, objects=(*things, *furniture), perception=self.name)

    def _with_shape(self, thing: SceneObject, held: str | None) -> SceneObject:
        """The thing; one of unclear shape in its known shape, if the points show where that is.

        In the hand it is as it was when it stood.
        """
        spec = self._spec(thing.name)
        if spec is None or not thing.pieces:
            return thing
        if thing.name != held:
            self._inside.pop(thing.name, None)
            pose = self._stands(spec, thing)
            if pose is not None:
                self._inside[thing.name] = np.linalg.inv(thing.pose.matrix()) @ pose.matrix()
        inside = self._inside.get(thing.name)
        return thing if inside is None else replace(
            thing, shape=spec.shape, size=spec.size, pieces=(),
            pose=Pose.from_matrix(thing.pose.matrix() @ inside))

    def _whole(self, thing: SceneObject, held: str | None) -> SceneObject:
        """The thing; one that is partly hidden as it was before, if what is seen of it fits."""
        spec = self._spec(thing.name)
        if spec is None or thing.pieces:
            return thing
        before = self._known.get(thing.name)
        smaller = np.subtract(sorted(spec.size), sorted(thing.size)).max() > PARTLY_M
        if smaller and before is not None and thing.name != held and covers(
                before, self._points(thing.name)):
            return replace(before, seen_at=thing.seen_at)
        if not smaller:
            self._known[thing.name] = thing
        return thing

    def _without_print(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """Without what is only print on a thing that is recognised."""
        known = [each for each in things if self._spec(each.name) and not each.pieces]
        return [each for each in things if each in known or self._spec(each.name)
                or not any(covers(thing, self._points(each.name)) for thing in known)]

    def _spec(self, name: str) -> ObjectSpec | None:
        return next((each for each in self._things if each.name == name), None)

    def _points(self, name: str) -> FloatArray:
        """The points (n, 3) that the last picture shows of a thing; none if it shows none."""
        look = self._seen.last
        shown = (fit.points for fit, each in zip(look.fits, look.names) if each == name)
        return next(shown, np.empty((0, 3)))

    def _stands(self, spec: ObjectSpec, thing: SceneObject) -> Pose | None:
        if thing.size[2] < spec.size[2] - FOOT_HIDDEN_M:
            return None
        return standing(spec, self._points(thing.name), self._seen.last.picture.view.origin,
                        thing.top_z)

    def _recognised(self) -> list[tuple[Fitted, str]]:
        """The fits that have no known name yet, with the names that suit them best together."""
        look = self._seen.last
        known = {spec.name for spec in self._things}
        free = [spec for spec in self._things if spec.name not in look.names]
        fits = [fit for fit, name in zip(look.fits, look.names) if name not in known]
        pairs = sorted(((self._unlike(fit, spec), i, spec.name)
                        for i, fit in enumerate(fits) for spec in free
                        if self._may_be(fit.thing, spec)), key=lambda each: each[0])
        found: dict[int, str] = {}
        for difference, i, name in pairs:
            if difference <= MOST_UNLIKE and i not in found and name not in found.values():
                found[i] = name
        return [(fits[i], name) for i, name in found.items()]

    def _unlike(self, fit: Fitted, spec: ObjectSpec) -> float:
        """How much a fit differs from a described thing; one of unclear shape may stand for it.

        What is not seen of such a fit is a guess, so it may seem too large.
        """
        off = unlike(fit.thing, spec)
        if off <= MOST_UNLIKE or not fit.thing.pieces or fit.thing.colour not in _colours(spec):
            return off
        higher, eye = fit.thing.size[2] - spec.size[2], self._seen.last.picture.view.origin
        stands = -FOOT_HIDDEN_M < higher < SAME_HEIGHT_M and standing(
            spec, fit.points, eye, fit.thing.top_z) is not None
        return MOST_UNLIKE if stands else off

    def _may_be(self, seen: SceneObject, spec: ObjectSpec) -> bool:
        """Whether it was not seen before, was at this place, is gone from its own, or looks right.

        At its own place it may have got another name: of its print, another colour is seen more.
        """
        before = self._seen.remembered(spec.name)
        return (before is None or math.dist(before.position, seen.position) < SAME_PLACE_M
                or unlike(seen, spec) < SURE or self.sees_past(before))


def unlike(thing: SceneObject, spec: ObjectSpec) -> float:
    """How much a seen thing differs from a described one: 0 not at all. Print is no thing."""
    if min(thing.size) < THINNEST_M:
        return math.inf
    larger = np.subtract(sorted(thing.size), sorted(spec.size))
    off = LARGER * larger.clip(min=0).sum() + SMALLER * -larger.clip(max=0).sum()
    return float(off + WRONG_COLOUR * (thing.colour not in _colours(spec)))


def _colours(spec: ObjectSpec) -> tuple[str, ...]:
    return (spec.colour.name, *PRINT.get(spec.name, ()))


def robosuite_camera(parts: PerceptionParts) -> KnownScenePerception:
    """The entry point: a perception with the furniture and the things of PickPlace.

    Raises ConfigError for another robot or task, and for one without a camera.
    """
    if getattr(parts.robot, 'scene_file', None) != PICK_PLACE:
        raise ConfigError("perception: 'robosuite_camera' knows the bins of robosuite's "
                          "PickPlace; use 'camera' for other tasks and robots")
    camera = parts.camera()
    if camera is None:
        raise ConfigError("perception: 'robosuite_camera' needs a camera that does not move")
    scene = scene_of(PICK_PLACE)
    furniture = furniture_of(scene)
    without = WithoutFurniture(camera, furniture)
    seen = ColourDepthPerception(without, parts.robot, parts.arm, printed=True,
                                 table=area_of(scene.table))
    return KnownScenePerception(seen, without, furniture, known_things(scene))
