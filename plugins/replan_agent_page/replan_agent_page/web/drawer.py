# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python3 -m replan_agent_page.web.drawer`: the process that draws a ShownWorld.

It reads a world, then positions, and answers each with a JPEG; then perhaps another world.
"""

from __future__ import annotations

import os
import pickle
import sys

import cv2
import numpy as np

from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable

from .shown_world import received, send

LESS_URGENT = 10  # than the arm: where cores are few, pictures are late and not the arm
QUALITY = 80


def main() -> None:
    """Draw until the input ends."""
    os.nice(LESS_URGENT)
    source, out = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), 'wb')
    sys.stdout = sys.stderr  # nothing that prints gets between the pictures
    while True:
        try:
            content, width, height = received(source)
        except EOFError:
            return
        if not width:
            world = pickle.loads(content).with_state()  # it comes from who started this process
            camera = MujocoCamera(world)
            continue
        world.data.qpos[:] = np.frombuffer(content)
        try:
            bgr = np.ascontiguousarray(camera.render_rgb(width, height)[..., ::-1])
        except GraphicsUnavailable as error:
            send(out, str(error).encode())
            continue
        jpeg = cv2.imencode('.jpg', bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        send(out, bytes(jpeg), 1)


if __name__ == '__main__':
    main()
