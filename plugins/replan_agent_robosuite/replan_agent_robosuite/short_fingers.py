"""Grasps for robosuite's hand: its fingers do not reach as far as those of a real Panda."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from replan_agent import Scene, SceneObject
from replan_agent.arms.franka import PANDA
from replan_agent.execute.arm import backed_off
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.grasping.grasps import TABLE_GAP_M, ShapeGrasps
from replan_agent.motion.motion_protocols import Grasp

from .panda_gripper import MAX_WIDTH_M

SHORTER_M = 0.0065  # the palm is where it should be, and the finger tips end this much earlier


class ShortFingerGrasps(AnyGrasps):
    """The same grasps with a hand that goes deeper, as far as the palm allows it.

    Those of things of any shape stay as they are: what they know of the palm cannot be chosen.
    """

    def __init__(self) -> None:
        short = replace(PANDA.hand, max_width_m=MAX_WIDTH_M,
                        palm_above_tcp_m=PANDA.hand.palm_above_tcp_m - SHORTER_M)
        # our checks know longer fingers
        super().__init__(PANDA.hand, ShapeGrasps(short, TABLE_GAP_M + SHORTER_M))

    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        deeper_m = 0.0 if thing.pieces else SHORTER_M
        for grasp in super().candidates(thing, scene):
            yield replace(grasp, tcp=backed_off(grasp.tcp, -deeper_m))
