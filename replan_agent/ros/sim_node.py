"""The embedded MuJoCo world behind the interfaces that a real arm and camera have.

No other node owns a world. Whatever commands this arm, commands a real one the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from replan_agent.app.share import share_path
from replan_agent.domain.config import setting
from replan_agent.robot.mujoco.robot import MujocoRobot
from replan_agent.robot.mujoco.scene_file import load_scene
from replan_agent.robot.mujoco.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World

from .arm_interfaces import ArmInterfaces, CameraInterfaces
from .parameters import declared
from .physics import Physics
from .sim_commands import Commands
from .sim_outputs import ArmOutputs, CameraOutputs
from .sim_servers import ArmServers
from .stop_latch import StopLatch, WatchdogConfig

NAME = 'sim_node'
THREADS = 6  # two goals, their cancels, a stop and the timers at once
IDLE_S = 0.04


@dataclass(frozen=True)
class SimConfig:
    scene: str = setting('tabletop', 'name of a scene in config/scenes, or path of a .yaml file')
    seed: int = setting(0, 'of the randomised part of the scene', 0, 2**31 - 1)
    model: str = setting('', "arm model, panda or fr3; empty: the scene's")
    base_frame: str = setting('', "name of the base frame; empty: the arm's own, panda_link0")
    realtime_factor: float = setting(0.0, 'how fast robot time passes; 0: as fast as possible '
                                     'while a command runs, and not at all otherwise', 0, 100)
    state_rate: float = setting(50.0, 'joint states a second of wall time, at most', 1, 1000)
    truth_rate: float = setting(10.0, 'true scenes a second of wall time', 0.1, 100)
    image_rate: float = setting(5.0, 'pictures a second of wall time, if someone subscribes',
                                0.1, 60)
    command_timeout: float = setting(300.0, 'longest command, s of wall time', 1, 3600)


class SimNode(Node):
    """A world with a Franka; see the parameters of SimConfig and the names of ArmInterfaces."""

    def __init__(self, scene: SceneSpec | None = None, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        config = declared(self, SimConfig)
        names = declared(self, ArmInterfaces)
        self.world = self._make_world(config, scene)
        self.robot = MujocoRobot(self.world, config.base_frame)
        self._arm = ArmOutputs(self, self.robot, names, config.state_rate, config.truth_rate)
        self._camera = CameraOutputs(self, self.robot, declared(self, CameraInterfaces),
                                     config.image_rate)
        self.physics = Physics(self.world, config.realtime_factor, self._tick,
                               lambda: self._arm.touching)
        self.commands = Commands(self.physics, lambda: self.latch.refusal(),
                                 self._arm.publish_all, config.command_timeout)
        self.latch = StopLatch(self, self.commands.stop, lambda: self.commands.moving,
                               declared(self, WatchdogConfig), prefix='sim/')
        self._servers = ArmServers(self, self.robot, self.physics, self.commands, names)
        self.create_timer(IDLE_S, self.physics.idle, MutuallyExclusiveCallbackGroup(),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f'{self.world.arm_model} in scene {self.world.scene.name!r}')

    def destroy_node(self) -> None:
        """End the motion and the physics thread first."""
        self.latch.engage('the simulation ends')
        self.physics.do(self._camera.close)  # in the thread that drew
        self.physics.close()
        super().destroy_node()

    @staticmethod
    def _make_world(config: SimConfig, scene: SceneSpec | None) -> World:
        scene = scene or load_scene(config.scene, share_path('config', 'scenes'))
        return World(scene, config.model or None, config.seed)

    def _tick(self) -> None:
        self._arm.tick()
        self._camera.tick()


def main() -> None:
    """Serve until interrupted."""
    rclpy.init()
    node = SimNode()
    executor = MultiThreadedExecutor(THREADS)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
