"""The camera, and a model that points at what colour and shape cannot name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.agent.ports import PerceptionError
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.perceive.camera.colour_depth import ColourDepthPerception

from .pointer import NoAnswer, VLMPointer, slug

FOR_THE_MODEL = 0.9  # of the time that a look has left: what the camera saw is always told


class PointedPerception:
    """Names what it can by colour and shape, and asks the model for the descriptions left over.

    What the model points at keeps the description as its name (`the lemon` is `lemon`), and is
    followed by the camera alone from then on: the model is asked again only when the thing is
    neither seen nor hidden. What the model cannot find is a warning of the scene. So is a model
    that does not answer in time: it is left alone for as long as it was waited for.
    """

    name = 'camera_vlm'
    uses_model = True

    def __init__(self, seen: ColourDepthPerception, pointer: VLMPointer,
                 descriptions: Sequence[str], is_named: Callable[[str, Scene], bool]) -> None:
        self._seen = seen
        self._pointer = pointer
        self._is_named = is_named
        self._left_over = list(dict.fromkeys(descriptions))
        self._pointed: set[str] = set()
        self._rests_until = float('-inf')  # wall s

    def observe(self, ctx: Context) -> Scene:
        """What the camera sees now, with the described things under their names."""
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
        """The scene with the described thing in it. Raises PerceptionError."""
        ctx.check()
        model, began = self._pointer.model, ctx.now()
        if began < self._rests_until:
            raise PerceptionError(f'{model} is not asked about {description!r}: it did not answer '
                                  'the last question in time')
        try:
            return self._with(description, ctx.within(FOR_THE_MODEL * ctx.remaining_s()))
        except (DeadlineExceeded, NoAnswer) as error:
            waited = ctx.now() - began
            self._rests_until = ctx.now() + waited
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
