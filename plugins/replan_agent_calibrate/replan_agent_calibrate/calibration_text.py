# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The text of the file with a camera's pose, as `app/calibration_file.py` of the core reads it."""

from __future__ import annotations

from replan_agent.app.calibration_file import NUMBERS, SECTION
from replan_agent.domain.pose import Pose


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
