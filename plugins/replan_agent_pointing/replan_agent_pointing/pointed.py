# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Camera perception plus a model that points at objects that colour and shape cannot name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.app.build.build_perception import PerceptionParts, camera
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.plan.model.asking.one_call import OneCall, way_of
from replan_agent.vlm.found_ways import FoundWays

from .pointer import ModelSilent, VLMPointer, slug

MODEL_TIME_SHARE = 0.9  # of the time left for a look: the rest is for the camera's result


def camera_vlm(parts: PerceptionParts) -> PointedPerception:
    """The perception of that name, with the model of the settings."""
    vlm = parts.config.vlm
    model = OneCall(parts.model(), way_of(vlm.mode, FoundWays(vlm)))
    return PointedPerception(camera(parts), VLMPointer(model), parts.config.point_at, is_named)


def is_named(phrase: str, scene: Scene) -> bool:
    """Whether the phrase fits one or more objects of the scene."""
    try:
        return bool(build_reader().fitting(phrase, scene))
    except (NotUnderstood, Open, Unclear):
        return False


class PointedPerception:
    """Names objects by colour and shape, and asks the model for the remaining descriptions.

    An object that the model points at gets the description as its name (`the lemon` is `lemon`).
    From then on the camera follows it. The model is asked again only if the object is neither
    seen nor hidden. If the model cannot find it, the scene gets a warning. If the model does not
    answer in time, the scene gets a warning and the model is not asked for as long as we waited.
    """

    name = 'camera_vlm'
    uses_model = True

    def __init__(self, seen: ColourDepthPerception, pointer: VLMPointer,
                 descriptions: Sequence[str], is_named: Callable[[str, Scene], bool]) -> None:
        self._seen = seen
        self._pointer = pointer
        self._is_named = is_named
        self._wanted = list(dict.fromkeys(descriptions))
        self._left_over = list(self._wanted)
        self._pointed: set[str] = set()
        self._paused_until = float('-inf')  # wall s

    def look_for(self, descriptions: Sequence[str]) -> None:
        """Name these objects from the next look on, and no others."""
        wanted = list(dict.fromkeys(descriptions))
        if wanted != self._wanted:
            self._wanted, self._left_over = wanted, list(wanted)

    def observe(self, ctx: Context) -> Scene:
        """What the camera sees now; described objects have their names."""
        scene = self._seen.observe(ctx)
        warnings: list[str] = []
        for description in tuple(self._left_over):
            if self._is_settled(description, scene):
                continue
            try:
                scene = self._asked(description, ctx)
            except PerceptionError as error:
                warnings.append(str(error))
        return replace(scene, perception=self.name, warnings=(*scene.warnings, *warnings))

    def is_hidden(self, thing: SceneObject) -> bool:
        """Whether something hides the object from the camera."""
        return self._seen.is_hidden(thing)

    def sees_past(self, thing: SceneObject) -> bool:
        """Whether the camera sees through the object's place."""
        return self._seen.sees_past(thing)

    def _is_settled(self, description: str, scene: Scene) -> bool:
        """Whether the model need not be asked for it in this picture."""
        name = slug(description)
        if name in self._pointed:
            thing = self._seen.remembered(name)
            return scene.get(name) is not None or (thing is not None
                                                   and self._seen.is_hidden(thing))
        if self._is_named(description, scene):
            self._left_over.remove(description)  # for good: "the cube in the bowl" may be moved
            return True
        return False

    def _asked(self, description: str, ctx: Context) -> Scene:
        """The scene with the described object in it. Raises PerceptionError."""
        ctx.check()
        model, began = self._pointer.model, ctx.now()
        if began < self._paused_until:
            raise PerceptionError(f'{model} is not asked about {description!r}: it did not answer '
                                  'the last question in time')
        try:
            return self._with(description, ctx.within(MODEL_TIME_SHARE * ctx.remaining_s()))
        except (DeadlineExceeded, ModelSilent) as error:
            waited = ctx.now() - began
            self._paused_until = ctx.now() + waited
            raise PerceptionError(f'{model} gave no answer about {description!r} within '
                                  f'{waited:.1f} s') from error

    def _with(self, description: str, ctx: Context) -> Scene:
        look, name = self._seen.last, slug(description)
        fit = self._pointer.find(description, look.picture, look.fits, look.scene.stamp, ctx)
        called = next((n for n, f in zip(look.names, look.fits) if f is fit), '')
        if called in self._pointed:
            raise PerceptionError(f'the model points at {called} for {description!r} too')
        self._pointed.add(name)
        return self._seen.call(fit, name)
