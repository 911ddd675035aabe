"""The camera, and a model that points at what colour and shape cannot name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.agent.ports import PerceptionError
from replan_agent.domain.context import Context
from replan_agent.domain.scene import Scene

from .colour_depth import ColourDepthPerception
from .pointer import VLMPointer, slug


class PointedPerception:
    """Names what it can by colour and shape, and asks the model for the descriptions left over.

    What the model points at keeps the description as its name (`the lemon` is `lemon`), and is
    followed by the camera alone from then on: the model is asked again only when the thing is
    neither seen nor hidden. What the model cannot find is a warning of the scene.
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

    def observe(self, ctx: Context) -> Scene:
        """What the camera sees now, with the described things under their names."""
        scene = self._seen.observe(ctx)
        warnings: list[str] = []
        for description in tuple(self._left_over):
            if self._is_settled(description, scene):
                continue
            try:
                scene = self._with(description, ctx)
            except PerceptionError as error:
                warnings.append(str(error))
        return replace(scene, perception=self.name, warnings=(*scene.warnings, *warnings))

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

    def _with(self, description: str, ctx: Context) -> Scene:
        """The scene with the described thing in it. Raises PerceptionError."""
        look, name = self._seen.last, slug(description)
        fit = self._pointer.find(description, look.picture, look.fits, look.scene.stamp, ctx)
        called = next((n for n, f in zip(look.names, look.fits) if f is fit), '')
        if called in self._pointed:
            raise PerceptionError(f'the model points at {called} for {description!r} too')
        self._pointed.add(name)
        return self._seen.call(fit, name)
