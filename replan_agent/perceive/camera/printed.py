"""A printed box has several colours on one face: what is printed is not a thing of its own."""

from __future__ import annotations

from replan_agent.domain.scene import Shape

from .fitting import Fit
from .residual import is_explained
from .segments import Picture, Segment, by_colour
from .splitting import fit_parts
from .whole_things import THINNEST_M


def parts_of_blob(picture: Picture, blob: Segment, stamp: float) -> list[Fit]:
    """The parts of a blob, one or more for each of its colours.

    If one of them is as thin as print and one shape explains all colours together, then that is
    the only part. Cubes on each other are not thin, so they stay two.
    """
    colours = list(by_colour(picture, blob))
    parts = [part for each in colours for part in fit_parts(picture, each, stamp)]
    if len(colours) > 1 and any(_is_thin(part) for part in parts):
        whole = fit_parts(picture, blob, stamp)
        if len(whole) == 1 and _is_solid(whole[0]) and is_explained(picture, whole[0]):
            return whole
    return parts


def _is_thin(part: Fit) -> bool:
    return min(part.thing.size[:2]) < THINNEST_M


def _is_solid(part: Fit) -> bool:
    return part.thing.shape in (Shape.BOX, Shape.CYLINDER) and not _is_thin(part)
