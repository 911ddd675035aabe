"""The file with a camera's pose: ROS parameters of camera_pose_node, of another package."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import ConfigError, checked_number
from replan_agent.domain.pose import Pose
from replan_agent.text.yaml_text import read_yaml

OPTICAL_FRAME = 'camera_color_optical_frame'
HAND_OPTICAL_FRAME = 'hand_camera_color_optical_frame'
SECTION = 'camera_calibration'
FARTHEST_M = 100.0  # no camera is farther from the arm
NUMBERS = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')


def calibration_text(T_frame_camera: Pose, frame_id: str, child_frame_id: str,
                     *comments: str) -> str:
    """The pose as YAML, with the matching tf2 command in the comments."""
    qw, qx, qy, qz = T_frame_camera.quaternion
    values = dict(zip(NUMBERS, (*T_frame_camera.position, qx, qy, qz, qw)))
    flags = ' '.join(f'--{key} {value:.6f}' for key, value in values.items())
    lines = [
        *(f'# {comment}' for comment in comments),
        '# For tf2:  ros2 run tf2_ros static_transform_publisher \\',
        f'#   {flags} \\',
        f'#   --frame-id {frame_id} --child-frame-id {child_frame_id}',
        '/**:', '  ros__parameters:', f'    {SECTION}:',
        f'      frame_id: {frame_id}', f'      child_frame_id: {child_frame_id}',
        *(f'      {key}: {value:.6f}' for key, value in values.items()),
    ]
    return '\n'.join(lines) + '\n'


def read_calibration(path: Path) -> tuple[Pose, str]:
    """The camera's pose, and in which frame it is: that of the base or of the hand.

    Raises ConfigError if the file has none.
    """
    whole = read_yaml(path)
    try:
        section = whole['/**']['ros__parameters'][SECTION]
        x, y, z, qx, qy, qz, qw = (checked_number(section[key], key, -FARTHEST_M, FARTHEST_M)
                                   for key in NUMBERS)
        return Pose((x, y, z), (qw, qx, qy, qz)), str(section['frame_id'])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'{path}: not a calibration as replan-agent calibrate writes it '
                          f'({type(error).__name__}: {error})') from error
