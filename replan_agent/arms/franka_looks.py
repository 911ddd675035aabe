"""The look of the arm: white shells, dark joint seams and covers, made of simple solids.

Positions are in the link's DH frame (m) and follow the real arm's outline.
"""

from __future__ import annotations

from collections.abc import Mapping

from .arm_model import LinkSolid, Vector


def rod(material: str, start: Vector, end: Vector, radius: float) -> LinkSolid:
    """A flat-ended cylinder between two points."""
    return LinkSolid(material, {'type': 'cylinder', 'fromto': (*start, *end), 'size': (radius,)})


def pill(material: str, start: Vector, end: Vector, radius: float) -> LinkSolid:
    """A round-ended cylinder between two points."""
    return LinkSolid(material, {'type': 'capsule', 'fromto': (*start, *end), 'size': (radius,)})


def egg(material: str, centre: Vector, radii: Vector) -> LinkSolid:
    """An ellipsoid."""
    return LinkSolid(material, {'type': 'ellipsoid', 'pos': centre, 'size': radii})


def brick(material: str, centre: Vector, size: Vector) -> LinkSolid:
    """A box of full extents `size`."""
    return LinkSolid(material, {'type': 'box', 'pos': centre, 'size': [s / 2 for s in size]})


SHARED = {'pad': (0.08, 0.08, 0.08), 'finger': (0.74, 0.75, 0.76), 'cover': (0.14, 0.14, 0.15)}
MATERIALS: Mapping[str, Mapping[str, Vector]] = {
    'panda': {**SHARED, 'shell': (0.93, 0.94, 0.95), 'seam': (0.45, 0.47, 0.49),
              'band': (0.93, 0.94, 0.95), 'light': (0.04, 0.54, 0.78)},
    'fr3': {**SHARED, 'shell': (0.95, 0.95, 0.94), 'seam': (0.30, 0.31, 0.33),
            'band': (0.13, 0.13, 0.14), 'light': (0.85, 0.10, 0.08)},
}

LINK0 = (
    rod('shell', (0, 0, 0), (0, 0, 0.11), 0.069), rod('band', (0, 0, 0.11), (0, 0, 0.137), 0.069),
    rod('seam', (0, 0, 0.137), (0, 0, 0.142), 0.057),
    brick('shell', (-0.055, 0, 0.052), (0.11, 0.125, 0.104)),
    rod('shell', (-0.105, -0.035, 0), (-0.105, -0.035, 0.085), 0.028),
    rod('shell', (-0.105, 0.035, 0), (-0.105, 0.035, 0.085), 0.028),
    brick('shell', (-0.12, 0, 0.0425), (0.025, 0.07, 0.085)),
    brick('shell', (-0.04, 0, 0.006), (0.222, 0.185, 0.012)),
    brick('cover', (-0.134, 0, 0.05), (0.004, 0.06, 0.04)),
    rod('light', (-0.03, -0.0635, 0.05), (-0.03, 0.0635, 0.05), 0.008),
)
LINK1 = (
    rod('shell', (0, 0, -0.19), (0, 0, 0), 0.055), egg('shell', (0, 0, 0), (0.055, 0.055, 0.055)),
    rod('shell', (0, -0.085, 0), (0, -0.003, 0), 0.055),
    egg('shell', (0, -0.085, 0), (0.055, 0.044, 0.055)),
    rod('seam', (0, -0.003, 0), (0, 0.003, 0), 0.0535),
)
LINK2 = (
    rod('shell', (0, -0.19, 0), (0, 0, 0), 0.055), egg('shell', (0, 0, 0), (0.055, 0.055, 0.055)),
    rod('shell', (0, 0, 0.003), (0, 0, 0.085), 0.055),
    egg('shell', (0, 0, 0.085), (0.055, 0.055, 0.044)),
    rod('seam', (0, -0.195, 0), (0, -0.19, 0), 0.0535),
)
LINK3 = (
    rod('shell', (0, 0, -0.121), (0, 0, -0.02), 0.055),
    egg('shell', (0, 0, -0.02), (0.055, 0.055, 0.055)),
    pill('shell', (0.01, 0, -0.035), (0.0825, 0.012, 0), 0.052),
    rod('shell', (0.0825, 0.003, 0), (0.0825, 0.062, 0), 0.055),
    rod('cover', (0.0825, 0.062, 0), (0.0825, 0.096, 0), 0.0535),
    rod('shell', (0.0825, 0.09, 0), (0.0825, 0.1, 0), 0.037),
    egg('shell', (0.0825, 0.1, 0), (0.037, 0.011, 0.037)),
)
LINK4 = (
    rod('seam', (0, 0, -0.003), (0, 0, 0.003), 0.0535),
    rod('shell', (0, 0, 0.003), (0, 0, 0.062), 0.055),
    rod('cover', (0, 0, 0.062), (0, 0, 0.096), 0.0535),
    rod('shell', (0, 0, 0.09), (0, 0, 0.1), 0.037),
    egg('shell', (0, 0, 0.1), (0.037, 0.037, 0.011)),
    pill('shell', (0, 0, 0.012), (-0.0725, 0.035, 0), 0.052),
    egg('shell', (-0.0825, 0.02, 0), (0.055, 0.055, 0.055)),
    rod('shell', (-0.0825, 0.02, 0), (-0.0825, 0.121, 0), 0.055),
)
LINK5 = (
    rod('seam', (0, 0, -0.262), (0, 0, -0.257), 0.0535),
    rod('shell', (0, 0, -0.257), (0, 0, -0.205), 0.055),
    egg('shell', (0, 0, -0.205), (0.055, 0.055, 0.055)),
    pill('shell', (0, 0.012, -0.2), (0, 0.075, -0.1), 0.046),
    pill('shell', (0, 0.075, -0.1), (0, 0.085, 0), 0.042),
    rod('shell', (0, 0.052, 0), (0, 0.09, 0), 0.0495),
    rod('cover', (0, 0.09, 0), (0, 0.12, 0), 0.0495),
    rod('shell', (0, 0.11, 0), (0, 0.122, 0), 0.033),
    egg('shell', (0, 0.122, 0), (0.033, 0.008, 0.033)),
)
LINK6 = (
    rod('seam', (0, 0, -0.052), (0, 0, -0.046), 0.046),
    rod('shell', (0, 0, -0.046), (0, 0, 0.035), 0.048),
    rod('cover', (0, 0, 0.035), (0, 0, 0.05), 0.047),
    rod('shell', (0, 0, 0.05), (0, 0, 0.055), 0.03),
    pill('shell', (0, -0.006, 0), (0.086, -0.006, 0), 0.042),
    rod('shell', (0.088, -0.05, 0), (0.088, 0.055, 0), 0.0435),
    rod('light', (0.088, 0.055, 0), (0.088, 0.058, 0), 0.042),
    rod('cover', (0.088, 0.058, 0), (0.088, 0.071, 0), 0.040),
    egg('cover', (0.088, 0.071, 0), (0.040, 0.007, 0.040)),
)
LINK7 = (
    rod('seam', (0, 0, 0.05), (0, 0, 0.055), 0.042),
    rod('shell', (0, 0, 0.055), (0, 0, 0.102), 0.0437),
    rod('seam', (0, 0, 0.102), (0, 0, 0.107), 0.0315),
    pill('shell', (0, 0, 0.079), (0.053, 0.053, 0.079), 0.018),
    rod('cover', (0.052, 0.052, 0.06), (0.052, 0.052, 0.098), 0.011),
)
HAND = (
    rod('seam', (0, 0, 0), (0, 0, 0.012), 0.0315), rod('cover', (0, 0, 0), (0, 0, 0.0075), 0.042),
    brick('shell', (0, 0, 0.033), (0.056, 0.144, 0.054)),
    rod('shell', (0, 0.072, 0.006), (0, 0.072, 0.060), 0.028),
    rod('shell', (0, -0.072, 0.006), (0, -0.072, 0.060), 0.028),
    brick('cover', (0, 0, 0.0625), (0.036, 0.186, 0.006)),
)
FINGER = (
    brick('finger', (0, 0.0145, 0.011), (0.021, 0.0235, 0.022)),
    brick('finger', (0, 0.0095, 0.037), (0.021, 0.011, 0.0338)),
    brick('pad', (0, 0.0025, 0.045), (0.0178, 0.005, 0.0178)),
)
PARTS: Mapping[str, tuple[LinkSolid, ...]] = {
    'link0': LINK0, 'link1': LINK1, 'link2': LINK2, 'link3': LINK3, 'link4': LINK4,
    'link5': LINK5, 'link6': LINK6, 'link7': LINK7, 'hand': HAND, 'finger': FINGER,
}
