"""The conversation with an agent over ROS; the agent is a stand-in, no ROS is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hand_scenes import BIN, BOWL, cube, scene
from imagined_arm import ImaginedArm
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.serve.station import Order

from replan_agent.domain.context import Context


class Remote(ImaginedArm):
    """Answers as RemoteAgent does."""

    def observe(self, ctx: Context | None = None) -> Any:
        return super().observe(ctx or Context())

    def skills(self) -> Any:
        return self.specs()

    def run(self, task: str, *given: Any) -> Any:
        if not given or given[0] is None:  # of the loop itself
            return super().run(task)
        result = super().run(task).as_dict()
        return json.loads(json.dumps({**result, 'run_folder': '/somewhere'}))


def test_an_answer_is_sent_to_the_agent_as_a_whole_sentence(tmp_path: Path) -> None:
    remote = Remote(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06), BOWL, BIN))
    station = RosStation(remote, None)  # type: ignore[arg-type]

    def say(words: str) -> Any:
        return station.run(Order(words), tmp_path / 'run', lambda progress: None, Context())

    question = say('put the cube in the bowl')
    assert question['asks'] and 'success' not in question
    done = say('the left one')
    assert done['success'] and done['run_folder'] and remote.tasks == [
        'put the red cube in the bowl']
    assert 'the red cube' in say('what is in the bowl?')['said']
    assert say('undo that')['success']
