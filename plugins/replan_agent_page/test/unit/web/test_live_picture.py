# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The picture of the page, when the camera has trouble."""

from __future__ import annotations

import asyncio

import pytest
from replan_agent_page.web import live_picture
from replan_agent_page.web.live_picture import LivePicture

from replan_agent.domain.robot_state import CameraError


class Source:
    """A camera whose first picture cannot be read."""

    def __init__(self) -> None:
        self.tries = 0

    def newest(self) -> int:
        return 7

    def picture(self) -> tuple[int, bytes]:
        self.tries += 1
        if self.tries == 1:
            raise CameraError('a picture of an unknown kind')
        return 7, b'jpeg'

    def interrupt(self) -> None: ...

    def close(self) -> None: ...


def test_one_bad_picture_does_not_end_the_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_picture, 'AGAIN_S', 0.0)

    async def watched() -> tuple[tuple[int, bytes] | None, str]:
        live = LivePicture(Source(), 100.0)
        try:
            return await live.after(0), live.problem
        finally:
            live.close()

    assert asyncio.run(watched()) == ((7, b'jpeg'), '')
