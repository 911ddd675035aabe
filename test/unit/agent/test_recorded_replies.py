# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real replies of small models, replayed through the whole loop over real HTTP.

tools/record_replies.py recorded them; most are malformed. A reply answers every request of one
task, also the reminder and the correction. Only arm and perception are fakes.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hand_scenes import SCENES

from replan_agent.agent.ports import PlanCheck, Planner
from replan_agent.app.build.build_planner import build_check, build_planner, chat_model
from replan_agent.domain.config import MODEL_WAYS, AgentConfig, Config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.task_result import FinalReason, TaskResult

from .fakes import FakePerception, FakeSkills, Rig

REPLIES = Path(__file__).parents[2] / 'fixtures' / 'replies'
# Replies that become a plan which passes validation, by file and by the way they were asked for.
USABLE = {('smollm2', 'tools'): 0, ('smollm2', 'json_schema'): 14, ('smollm2', 'json'): 0,
          ('smollm2', 'text'): 0, ('qwen', 'tools'): 5, ('qwen', 'json_schema'): 13,
          ('qwen', 'json'): 8, ('qwen', 'text'): 0}
ONE_PLAN = replace(AgentConfig().allowing_replans(0), local_planning=False, human_after=0)

Reply = dict[str, Any]


class Replay(ThreadingHTTPServer):
    """Answers every request with `reply`, exactly as the model's own server did."""

    daemon_threads = True
    reply: Reply


class Handler(BaseHTTPRequestHandler):
    server: Replay
    protocol_version = 'HTTP/1.1'

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers['Content-Length']))
        body = self.server.reply['body'].encode()
        self.send_response(self.server.reply['status'])
        self.send_header('Content-Type', self.server.reply['type'])
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def server() -> Iterator[Replay]:
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    with Replay(('127.0.0.1', 0), Handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


def recorded(name: str) -> list[Reply]:
    lines = gzip.decompress((REPLIES / f'{name}.jsonl.gz').read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


@dataclass
class Watched:
    """A planner, and whether each of its plans passes validation in the scene it was made for."""

    planner: Planner
    check: PlanCheck
    verdicts: list[tuple[tuple[Step, ...], bool]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.planner, name)

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        reply = self.planner.plan(request, ctx)
        steps = reply.steps if reply.kind is ReplyKind.STEPS else ()
        plan = Plan(1, request.task, steps, reply.goals, PlanCause.INITIAL, None,
                    request.scene.scene_id, self.planner.name)
        valid = bool(steps) and not self.check(plan, request.scene, request.skills)
        self.verdicts.append((steps, valid))
        return reply

    def ran_unchecked(self, result: TaskResult) -> int:
        """How many steps ran whose plan did not pass validation."""
        valid = [steps for steps, ok in self.verdicts if ok]
        own = {p.version: p.steps for p in result.plans if p.steps not in valid}
        return sum(s.step in own.get(s.plan_version, ()) for s in result.steps)


def results(server: Replay, mode: str, replies: list[Reply]
            ) -> Iterator[tuple[Reply, TaskResult, Watched, FakeSkills]]:
    """How a task ends if the model always gives this reply; one client for all of them."""
    own = Config()
    url = f'http://127.0.0.1:{server.server_address[1]}/v1'
    config = replace(own, planner='vlm', perception='ground_truth', vlm=replace(
        own.vlm, output='steps', base_url=url, model='replayed', max_retries=0, mode=mode,
        remember=False, images=False))
    model, check = chat_model(config.vlm), build_check(config)
    for reply in replies:
        server.reply = reply
        planner = Watched(build_planner(config, lambda: model, check, lambda: None), check)
        skills = FakeSkills()
        agent = Rig(planner, skills, FakePerception(SCENES[reply['scene']]), check=check,
                    config=ONE_PLAN)
        yield reply, agent.run(reply['task']), planner, skills


# In every run: the replies of one model for each way to ask. Only smollm2 has any in plain text.
@pytest.mark.parametrize(('name', 'mode'), [
    pytest.param(name, mode, marks=[pytest.mark.release] if name == 'smollm2' and mode != 'text'
                 else []) for name in ('qwen', 'smollm2') for mode in MODEL_WAYS])
def test_no_real_reply_breaks_the_loop_or_moves_anything_that_validation_refuses(
        server, name, mode):
    usable = 0
    own = [reply for reply in recorded(name) if reply['mode'] == mode]
    for reply, result, planner, skills in results(server, mode, own):
        assert result.final_reason is not FinalReason.INTERNAL_ERROR, (reply, result.final_detail)
        assert not result.success, reply  # nothing has changed in the scene
        assert planner.ran_unchecked(result) == 0, reply
        valid = any(ok for _, ok in planner.verdicts)
        assert valid or not skills.executed, reply
        usable += valid
    assert usable == USABLE.get((name, mode))


def test_there_are_replies_of_every_way_to_ask():
    found = [reply for name, _ in USABLE for reply in recorded(name)]
    assert {reply['mode'] for reply in found} == {'tools', 'json', 'json_schema', 'text'}
