"""The composition root: the one place that knows which implementation stands behind each port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from replan_agent.agent.agent_ports import Streak
from replan_agent.agent.loop import Agent
from replan_agent.agent.ports import (
    Approver,
    ChatModel,
    Human,
    Perception,
    PerceptionError,
    PlanCheck,
    Planner,
    Recorder,
    Skills,
)
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.execute.contract import Toolkit
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasps import ShapeGrasps
from replan_agent.motion.planner import JointPlanner, franka_planner
from replan_agent.plan.stub import StubPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.plan.vlm import VLMPlanner
from replan_agent.record.video import png
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
from replan_agent.vlm.build_model import chat_model

from .recovery_parts import build_recovery_parts
from .build_approver import build_approver
from .build_perception import PerceptionWrapper, build_perception
from .twin import TwinRehearsal
from .versions import versions


@dataclass(frozen=True)
class Simulation:
    """An embedded world and the agent's ports into it."""

    config: Config
    world: World
    robot: MujocoRobot
    motion: JointPlanner
    perception: Perception
    skills: SkillExecutor
    model: Callable[[], ChatModel]  # one for all who ask; made when first asked for
    approver: Approver  # one for all tasks of this world: what it learns it keeps
    human: Human | None = None  # who is asked when plan after plan fails
    streak: Streak = field(default_factory=Streak)  # of failures, across this world's tasks

    def agent(self, recorder: Recorder) -> Agent:
        """A fresh agent on this world."""
        config = self.config
        check = PlanValidator(config.workspace, config.agent.max_steps)
        parts = build_recovery_parts(config, self.skills, self.model)
        return Agent(
            perception=self.perception,
            planner=self._planner(check),
            check_plan=check,
            skills=self.skills,
            approver=self.approver,
            policy=parts.policy,
            recorder=recorder,
            config=config.agent,
            rehearsal=TwinRehearsal(self._in_twin, self.world.arm_model)
            if config.agent.rehearse else None,
            reflector=parts.reflector, memory=parts.memory, local_planner=parts.local_planner,
            monitor=parts.monitor, human=self.human, streak=self.streak,
        )

    def _in_twin(self, twin: World) -> tuple[Perception, Skills]:
        """The twin is all there is to know about itself, so its perception is the truth."""
        inside = in_world(replace(self.config, perception='ground_truth'), twin)
        return inside.perception, inside.skills

    def _planner(self, check: PlanCheck) -> Planner:
        if self.config.planner == 'stub':
            return StubPlanner()
        vlm = self.config.vlm
        return VLMPlanner(self.model(), check, self._snapshot if vlm.images else None)

    def _snapshot(self, ctx: Context) -> bytes:
        """What the camera sees now, as PNG."""
        camera = MujocoCamera(self.world)
        try:
            return png(camera.capture(ctx).rgb)
        except GraphicsUnavailable as error:
            raise PerceptionError(str(error)) from error
        finally:
            camera.close()

    def facts(self) -> Mapping[str, Any]:
        """What a result should say about where it was obtained."""
        scene = self.world.scene
        return {
            'scene': scene.name, **({'scene_file': str(scene.file)} if scene.file else {}),
            'seed': self.world.seed, 'robot': 'mujoco',
            'arm_model': self.world.arm_model, 'base_frame': self.robot.base_frame,
            'versions': versions(),
        }


def simulation(config: Config, scene: SceneSpec, seed: int = 0,
               wrap_perception: PerceptionWrapper | None = None) -> Simulation:
    """An embedded world with everything around it, ready to run tasks.

    `wrap_perception` stands between the perception and its memory: for what can happen to a camera.
    """
    return in_world(config, World(scene, model=config.robot.model, seed=seed), wrap_perception)


def in_world(config: Config, world: World, wrap_perception: PerceptionWrapper | None = None) -> Simulation:
    """The robot of a world, with the perception of the settings and the standard skills."""
    robot = MujocoRobot(world, config.robot.base_frame)
    motion = franka_planner(config, MujocoCollisionChecker(world.arm_model), world.seed)
    model = cache(lambda: chat_model(config.vlm))
    perception = build_perception(config, world, robot, motion, model, wrap_perception)
    kit = Toolkit(robot, motion, ShapeGrasps(), perception, config.motion, config.workspace,
                  config.scene_memory)
    return Simulation(config, world, robot, motion, perception,
                      SkillExecutor(standard_skills(), kit), model, build_approver(config))
