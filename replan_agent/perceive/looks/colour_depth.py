# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Perception from pixels: colour and depth in, named objects in the base frame out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.hand import SLIPPED_M, HandBelief, T_tcp_thing, may_hold
from replan_agent.domain.scene import CLEAR, ArmSnapshot, Scene, SceneObject
from replan_agent.geometry.out_of_sight import same_colour
from replan_agent.perceive.camera import visibility
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.naming import KnownName
from replan_agent.perceive.camera.one_look import OneLook
from replan_agent.perceive.camera.plane import Area, widest
from replan_agent.perceive.camera.segments import Scan
from replan_agent.perceive.ground_truth import arm_snapshot
from replan_agent.perceive.held import IDLE_M, are_idle, held_object
from replan_agent.perceive.looks.tracks import Tracks, is_larger, matched
from replan_agent.robot.robot_protocols import Camera, SeenRobot

from . import in_hand as grips
from .eyes import Eyes
from .fusing import as_one, fused

HIDDEN_SHARE = 0.5
SEEN_PAST_SHARE = 0.2  # of the place of a thing
ON_TABLE_M = 0.01  # what is not higher than this above the table stands on it


@dataclass(frozen=True)
class CameraLook:
    """The main picture, what all looks show together, and the name of each fit in the scene."""

    picture: Scan
    fits: tuple[Fitted, ...]
    names: tuple[str, ...]
    scene: Scene


class ColourDepthPerception:
    """Scenes from calibrated cameras: a fixed one, one in the hand (`hand`), or both.

    The arm's state comes from its encoders.

    Objects keep their names from one picture to the next. `printed`: things may have print on
    them, so that two colours need not be two things. `table`: where the table is, if that is
    known. Otherwise it is where it is seen, and what stands behind a wall that hides the table is
    cut off. `names`: what things of a size and colour are called.
    """

    name = 'camera'
    uses_model = False

    def __init__(self, camera: Camera | None, robot: SeenRobot, arm: ArmModel,
                 hand: Camera | None = None, printed: bool = False,
                 table: Area | None = None, names: Sequence[KnownName] = ()) -> None:
        self._eyes = Eyes(camera, hand, robot, arm, printed, table)
        self._robot = robot
        self._arm = arm
        self._count = itertools.count(1)
        self._tracks = Tracks(names)
        self._hand = HandBelief()
        self._let_go = ('', 0.0)  # what the pads opened around, and how far apart they are since
        self._looks: tuple[OneLook, ...] = ()
        self._last: CameraLook | None = None

    def observe(self, ctx: Context) -> Scene:
        """What the cameras see now. Raises PerceptionError without a picture or a table."""
        taken = self._eyes.look(ctx)
        self._looks, state = taken.looks, taken.state
        picture = taken.looks[0].picture
        arm = arm_snapshot(state, self._robot, self._arm)
        self._note_release(arm)
        seen = fused(taken.looks, state.stamp)
        for parts in self._tracks.in_parts(seen, self._let_go[0]):
            seen = [fit for fit in seen if fit not in parts] + [
                as_one(parts, taken.looks, state.stamp)]
        fits = self._tracks.without_pieces(self._tracks.made_whole(
            self._tracks.told_apart(seen), self.sees_past))
        things, names = self._identified(picture, fits, arm, state.stamp)
        table = widest([each.picture.table for each in taken.looks])
        objects = (table.as_table(state.stamp), *(replace(o, inside_hidden=all(
            visibility.inside_hidden_share(each.view, o) > HIDDEN_SHARE for each in taken.looks))
            if o.is_container else o for o in things))
        scene = Scene(f'scene-{next(self._count)}', state.stamp, objects, self.name, arm,
                      self._hand.held or (None if self._is_open(arm) else held_object(
                          objects, arm, self._arm.hand, self._before)),
                      self._robot.base_frame, warnings=taken.warnings,
                      own_camera=picture.view.frame.own)
        self._last = CameraLook(picture, tuple(fits), names, scene)
        return scene

    @property
    def _before(self) -> Scene | None:
        return None if self._last is None else self._last.scene

    @property
    def last(self) -> CameraLook:
        """What the last picture showed."""
        if self._last is None:
            raise RuntimeError('there is no picture yet: call observe first')
        return self._last

    def call(self, fit: Fitted, name: str) -> Scene:
        """The last scene, with the object of `fit` renamed to `name`. It keeps that name."""
        look, scene = self.last, self.last.scene
        before = next((n for n, f in zip(look.names, look.fits) if f is fit), None)
        if before is None:  # it was too uncertain to be reported
            thing = replace(fit.thing, name=name)
            self._tracks.note(thing)
            scene = replace(scene, objects=(*scene.objects, thing))
        else:
            thing = self._tracks.rename(before, name)
            if self._hand.thing is not None and self._hand.held == before:
                self._hand = replace(self._hand, held=name,
                                     thing=replace(self._hand.thing, name=name))
            scene = replace(scene, held=name if scene.held == before else scene.held,
                            objects=tuple(replace(o, name=name) if o.name == before else o
                                          for o in scene.objects))
        names = tuple(name if n == before else n for n in look.names)
        self._last = replace(look, names=names, scene=scene)
        return scene

    def remembered(self, name: str) -> SceneObject | None:
        """The object with that name as it was last seen."""
        return self._tracks.get(name)

    def is_hidden(self, thing: SceneObject) -> bool:
        """Whether something is in front of this object's place in all of the last pictures."""
        return bool(self._looks) and all(visibility.hidden_share(each.view, thing) >= HIDDEN_SHARE
                                         for each in self._looks)

    def sees_past(self, thing: SceneObject) -> bool:
        """Whether a camera sees through this object's place: then it is not there."""
        return any(visibility.seen_through_share(each.view, thing) >= SEEN_PAST_SHARE
                   for each in self._looks)

    def _identified(self, picture: Scan, fits: list[Fitted], arm: ArmSnapshot, stamp: float
                    ) -> tuple[tuple[SceneObject, ...], tuple[str, ...]]:
        """The objects, with the one in the hand moved along, and the name of each fit."""
        view, shut = picture.view, may_hold(arm.gripper_width, self._robot.max_gripper_width)
        felt = self._hand.felt(arm.gripper_width).at(arm, stamp)
        pads, in_air = grips.between_pads(fits, arm), [
            f for f in grips.in_the_air(fits, arm, picture.table.z)
            if felt and grips.parts_of(felt, [f]) or not any(grips.is_where_it_was(
                t, f, shut and grips.is_over(arm, t)) for t in self._tracks.known)]  # foot hidden
        in_hand = [f for f in fits if (any if shut else all)((f in pads, f in in_air))]
        hanging = [f for f in self._unknown(fits, felt)  # it hangs in the hand in another way
                   if felt and grips.is_high(f, picture.table.z) and grips.is_beside(felt, f)]
        if not hanging:
            self._hand = grips.checked(self._hand, view, arm)
        if (held := self._hand.at(arm, stamp)) is None:
            self._hand = self._new_grip(picture, fits, in_hand, arm)
        elif in_hand and not self._hand.seen:  # hidden until now
            self._hand = grips.once_seen(self._hand, in_hand, picture, arm, self._eyes.printed)
        self._hand = _as_large(self._hand, in_hand, arm, picture.table.z)
        held = self._hand.at(arm, stamp)
        parts = grips.parts_of(held, fits) if held is not None else []
        elsewhere = [f for f in fits if f not in in_hand and f not in parts]
        unknown = self._unknown(elsewhere, held)
        shown_in_hand = [*in_hand, *hanging]
        if (held is None or grips.is_missed(held, shown_in_hand, picture)  # whatever the pads feel
                or grips.lies_elsewhere(held, shown_in_hand, unknown, picture.table.z)):
            self._hand = HandBelief()
            things = self._tracks.identify(fits, sees_past=self.sees_past)
            if self._let_go[0] in {thing.name for thing in things}:
                self._let_go = ('', self._let_go[1])  # apart from the hand: it may be taken again
            return things, tuple(thing.name for thing in things)
        in_hand += [f for f in parts if f not in in_hand]
        in_hand += [f for f in unknown if grips.is_beside(held, f)]
        elsewhere = [f for f in elsewhere if f not in in_hand]
        self._tracks.note(held)
        found = self._tracks.identify(elsewhere, held.name, self.sees_past)
        rest = iter(found)
        names = tuple(held.name if f in in_hand else next(rest).name for f in fits)
        return (*found, held), names

    def _unknown(self, fits: list[Fitted], held: SceneObject | None) -> list[Fitted]:
        """The fits that may be of what is held: those that show no other known thing."""
        others = [thing for thing in self._tracks.known if held and thing.name != held.name]
        shown = {i for _, i in matched(others, fits)}
        return [f for i, f in enumerate(fits) if i not in shown]

    def _note_release(self, arm: ArmSnapshot) -> None:
        """Pads that opened hold nothing, seen or not, until they close again.

        What they let go is there, unless they rose since the last look.
        """
        width_m, held = arm.gripper_width, self._hand.at(arm, 0.0)
        if held and width_m > self._hand.grasp_m + SLIPPED_M:
            self._let_go, seen = (held.name, width_m), self.last.scene
            if (was := seen.get(held.name)) is None or held.position[2] <= was.position[2]:
                self._tracks.note(replace(held, seen_at=seen.stamp))
        elif width_m < self._let_go[1] - SLIPPED_M:
            self._let_go = ('', 0.0)
        elif self._let_go[1]:  # they opened more
            self._let_go = (self._let_go[0], max(width_m, self._let_go[1]))

    def _is_open(self, arm: ArmSnapshot) -> bool:
        """Whether the pads stand as they opened."""
        return abs(arm.gripper_width - self._let_go[1]) <= IDLE_M

    def _new_grip(self, picture: Scan, fits: list[Fitted], in_hand: list[Fitted],
                  arm: ArmSnapshot) -> HandBelief:
        """What is now new in the hand."""
        idle = are_idle(self._before, arm) or not may_hold(
            arm.gripper_width, self._robot.max_gripper_width)
        if idle and not in_hand or self._is_open(arm):
            return HandBelief()
        lowest = picture.table.z + ON_TABLE_M
        if in_hand and all(f.bottom_seen and f.thing.bottom_z < lowest for f in in_hand):
            return HandBelief()  # it still stands on the table: its pose comes from the camera
        elsewhere = [f for f in fits if f not in in_hand]
        others = {*(thing.name for thing in self._tracks.would_match(elsewhere)),
                  *self._tracks.replaced, self._let_go[0]}
        gone = [thing for thing in self._tracks.known if thing.name not in others]
        return grips.new_grip(in_hand, gone, picture.view, arm, self._eyes.printed,
                              self._tracks.seen_whole)


def _as_large(hand: HandBelief, in_hand: Sequence[Fitted], arm: ArmSnapshot, table_z: float
              ) -> HandBelief:
    """The belief; on the table something hid what is seen to be larger in the air."""
    seen = next((fit for fit in in_hand if hand.thing is not None and fit.confidence >= CLEAR
                 and same_colour(fit.thing.colour, hand.thing.colour)
                 and grips.is_high(fit, table_z) and is_larger(fit, hand.thing)), None)
    if seen is None or hand.thing is None or hand.thing.is_container:
        return hand
    thing = replace(seen.thing, name=hand.thing.name, colour=hand.thing.colour)
    return replace(hand, thing=thing, seen=True, T_tcp_thing=T_tcp_thing(thing, arm))
