# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent of a running ROS graph behind the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import Context
from replan_agent.record.picture_files import jpeg
from replan_agent.record.run_folder import EVENTS
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.serve.station import Order, TaskRefused

from .feed import Feed
from .live_picture import LivePicture
from .page_arm import AroundStation
from .people_log import PEOPLE
from .ros_questions import RosQuestions

if TYPE_CHECKING:
    from replan_agent_page.serve.remote_agent import HeardEvent, HeardQuestion
    from replan_agent_page.serve.watched_camera import WatchedCamera


class RosPageStation(AroundStation):
    """A remote agent that everybody sees, with the tasks that others gave to it."""

    def __init__(self, station: RosStation, feed: Feed, pictures_per_s: float) -> None:
        self._inner, self._agent, self._feed = station, station.agent, feed
        self.approver, self.ask_where = station.approver, 'at the page'
        self.reset_command = station.reset_command
        self.options: dict[str, Any] = {}
        self.world: dict[str, Any] = {'approver': self.approver}
        self.elsewhere = ''
        self._pictures = TopicPictures(self._agent.camera, feed.wake)
        self.live = LivePicture(self._pictures, pictures_per_s)
        self.questions = RosQuestions(self._agent, self._end_task)
        self._own: tuple[str, Context] | None = None  # the run of our task, and how to end it
        self._shown = ''  # the id of the task in the feed
        self._agent.on_event = self._on_event
        self._agent.hear_questions(self._on_question)

    @property
    def camera(self) -> dict[str, Any]:
        """How to draw into the live pictures. It listens to them once somebody asks."""
        return self._pictures.geometry()

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        self._own = folder.name, ctx
        try:
            result = self._inner.run(order, folder, on_progress, ctx)
        finally:
            self._own = None
        _keep_one_record(folder, Path(str(result.get('run_folder') or '.')))
        return result

    def _on_event(self, event: HeardEvent) -> None:
        """Called by the executor: it only notes what happened."""
        own = self._own if event.task_id == self._agent.task_id else None
        if event.task_id != self._shown:
            self._shown = event.task_id
            self._feed.begin(own[0] if own else f'task {event.task_id[:8]}')
        if event.kind == 'task_started':
            self.elsewhere = '' if own else str(event.data.get('task', ''))
        elif event.kind == 'task_finished':
            self.elsewhere = ''
        self.questions.heard(event.task_id, event.kind, event.data)
        self._feed.add(event.kind, event.stamp_s, event.data)

    def _on_question(self, question: HeardQuestion) -> None:
        """Called by the executor. The task may have begun before this page."""
        if question.kind and (self._own is None or question.task_id != self._agent.task_id):
            self.elsewhere = question.task
        self.questions.waits(question.task_id, question.kind, question.data)
        self._feed.wake()

    def _end_task(self, task_id: str, who: str) -> None:
        own = self._own
        if own is None or task_id != self._agent.task_id:
            raise TaskRefused('this task was given elsewhere: it can be ended there, or with '
                              '"Stop the arm"')
        own[1].cancel.cancel(f'{who} ended the task')


class TopicPictures:
    """The pictures of the camera's topic, and how to draw into them."""

    def __init__(self, camera: WatchedCamera, on_change: Callable[[], None]) -> None:
        self._camera, self._on_change = camera, on_change
        self._geometry: dict[str, Any] = {'projection': None, 'size': [640, 480]}

    def geometry(self) -> dict[str, Any]:
        """The projection and size of the pictures; it listens to the camera from now on."""
        self._camera.listen()
        return self._geometry

    def newest(self) -> int:
        return self._camera.count

    def picture(self) -> tuple[int, bytes]:
        number, rgb = self._camera.newest()
        projection = self._camera.projection()
        now = {'projection': None if projection is None else projection.round(6).tolist(),
               'size': [rgb.shape[1], rgb.shape[0]]}
        if now != self._geometry:
            self._geometry = now
            self._on_change()
        return number, jpeg(rgb)

    def interrupt(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """The node ends the subscription."""


def _keep_one_record(ours: Path, theirs: Path) -> None:
    """Remove our record of a task if the agent's own, which has more, is beside it."""
    is_beside = (theirs.is_absolute() and theirs.parent.resolve() == ours.parent.resolve()
                 and theirs.name != ours.name and (theirs / EVENTS).is_file())
    if not is_beside:
        return
    with suppress(OSError):  # it belongs to another user: then there are two
        people = ours / PEOPLE
        if people.is_file():
            with (theirs / PEOPLE).open('a', encoding='utf-8') as kept:
                kept.write(people.read_text(encoding='utf-8'))
        shutil.rmtree(ours)
