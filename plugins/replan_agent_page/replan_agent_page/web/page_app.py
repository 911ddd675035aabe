# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The web application: the page, what it shows, and what a person does there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from replan_agent import __version__
from replan_agent.domain.config import ConfigError
from replan_agent_page.serve.desk import Busy
from replan_agent_page.serve.person import Person
from replan_agent_page.serve.run_store import NoSuchRun
from replan_agent_page.serve.station import Order, TaskRefused

from .feed import Feed
from .gate import Gate, Right, Tokens
from .live_picture import LivePicture
from .page_arm import Arm, record_of
from .page_questions import APPROVE, EDIT, HINT, NO, YES, Answer
from .page_requests import (
    LONGEST_TASK,
    Refused,
    json_answer,
    json_of,
    not_found,
    number_of,
    refused,
    said_by,
    text_of,
    whole_number,
)
from .page_station import Choice, PageStation
from .past_runs import Gallery, PastRuns
from .people_log import PeopleLog

ASSETS = Path(__file__).parent / 'assets'
THREE = 'three.min.js'
KINDS = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
         '.svg': 'image/svg+xml'}
MOST_STREAMS = 50
STOPS = 4  # at the same time
STAMP = 'X-Picture'  # the number of a picture
CLOSED = 'this question is no longer open'


class Page:
    """All answers of the server. Without an arm there are only past runs."""

    def __init__(self, runs: Path, gallery: Gallery, feed: Feed, arm: Arm | None = None) -> None:
        self._past, self._gallery, self._feed, self._arm = PastRuns(runs), gallery, feed, arm
        self._people = PeopleLog(runs)
        self._stops = ThreadPoolExecutor(STOPS, 'stop')  # a stop never waits for another request

    def app(self, host: str, tokens: Tokens) -> ASGIApp:
        """The application with its gate."""
        return Gate(Starlette(routes=self.routes(), exception_handlers={
            HTTPException: refused, NoSuchRun: not_found}), host, tokens)

    def routes(self) -> list[Route]:
        """What it answers: all that acts is a POST."""
        reads: dict[str, Callable[[Request], Awaitable[Response]]] = {
            '/': self._file, '/assets/{file}': self._file, '/api/hello': self._hello,
            '/api/events': self._events, '/api/picture': self._live_picture,
            '/api/solids': self._solids,
            '/api/planned/{question}': self._planned, '/api/motion': self._live_motion,
            '/api/runs': self._runs, '/api/runs/{run}': self._run,
            '/api/runs/{run}/motion': self._run_motion,
            '/api/runs/{run}/grasps/{count}': self._grasps,
            '/api/runs/{run}/pictures/{file}': self._picture, '/api/diff': self._diff,
            '/api/gallery': self._episodes, '/api/gallery/{number}': self._episode_picture}
        acts = {'/api/task': self._start, '/api/answer': self._answer, '/api/stop': self._stop,
                '/api/reset': self._reset, '/api/world': self._choose,
                '/api/touch': self._touch}
        return [*(Route(path, call, methods=['GET']) for path, call in reads.items()),
                *(Route(path, call, methods=['POST']) for path, call in acts.items())]

    def end(self) -> None:
        """End the task, and what waits for news: the server ends."""
        if self._arm is not None:
            self._arm.desk.end_task()  # now: open connections take a while
            self._arm.station.end()
        self._feed.end()

    async def _file(self, request: Request) -> Response:
        name = request.path_params.get('file', 'index.html')
        if name == THREE and (three := _three_js()):
            return FileResponse(three, media_type=KINDS['.js'])
        path = ASSETS / name
        if path.parent != ASSETS or path.suffix not in KINDS or not path.is_file():
            raise Refused(404, 'no such file')
        return FileResponse(path, media_type=KINDS[path.suffix])

    async def _hello(self, request: Request) -> Response:
        right, arm = request.scope['right'], self._arm
        return json_answer({'version': __version__, 'right': right.value, 'arm': arm is not None,
                      'may_act': right is Right.ACT and arm is not None,
                      'options': arm.station.options if arm else {},
                      'gallery': self._gallery.name})

    async def _events(self, request: Request) -> Response:
        if self._feed.watchers >= MOST_STREAMS and request.scope['right'] is not Right.ACT:
            raise Refused(503, f'{MOST_STREAMS} pages are open already')
        query, status = request.query_params, self._arm.status if self._arm else dict
        stream: AsyncIterator[str] = self._feed.stream(
            status, query.get('run', ''), whole_number(query.get('seen', '')) or 0)
        return StreamingResponse(stream, media_type='text/event-stream')

    async def _live_picture(self, request: Request) -> Response:
        return await self._newest(request, self._arm_there().station.live, 'image/jpeg')

    async def _live_motion(self, request: Request) -> Response:
        return await self._newest(request, self._arm_there().station.motion, 'application/json')

    async def _newest(self, request: Request, live: LivePicture | None, kind: str) -> Response:
        after = whole_number(request.query_params.get('after', '')) or 0
        found = await live.after(after) if live else None
        if found is None:
            return Response(status_code=204)
        return Response(found[1], media_type=kind, headers={STAMP: str(found[0])})

    async def _solids(self, request: Request) -> Response:
        return await json_of(self._arm_there().station.solids)

    async def _planned(self, request: Request) -> Response:
        number = whole_number(request.path_params['question']) or 0
        return await json_of(lambda: self._arm_there().station.planned(number))

    async def _runs(self, request: Request) -> Response:
        query = request.query_params
        skip, find, failed = whole_number(query.get('skip', '')) or 0, query.get('find', ''), (
            'failed' in query)
        now = record_of(self._arm.desk.running) if self._arm else ''
        return await run_in_threadpool(lambda: json_answer({
            **self._past.listed(skip, find[:LONGEST_TASK], failed), 'running': now}))

    async def _run(self, request: Request) -> Response:
        name = request.path_params['run']
        return await run_in_threadpool(lambda: json_answer(self._past.run(name)))

    async def _run_motion(self, request: Request) -> Response:
        return await json_of(lambda: self._past.motion(request.path_params['run']))

    async def _grasps(self, request: Request) -> Response:
        count = whole_number(request.path_params['count']) or 0
        return await run_in_threadpool(lambda: json_answer({
            'grasps': self._past.grasps(request.path_params['run'], count)}))

    async def _picture(self, request: Request) -> Response:
        names = request.path_params
        data, kind = await run_in_threadpool(self._past.picture, names['run'], names['file'])
        return Response(data, media_type=kind)

    async def _diff(self, request: Request) -> Response:
        query = request.query_params
        run = query.get('run', '')
        before, after = (whole_number(query.get(key, '')) for key in 'ab')
        if before is None or after is None:
            raise Refused(400, 'a and b are versions of plans')
        return json_answer(await run_in_threadpool(self._past.plan_diff, run, before,
                                                   query.get('other') or run, after))

    async def _episodes(self, request: Request) -> Response:
        return json_answer({'file': self._gallery.name, 'episodes': self._gallery.listed()})

    async def _episode_picture(self, request: Request) -> Response:
        number = whole_number(request.path_params['number'])
        if number is None:
            raise Refused(404, 'episodes have numbers')
        data, kind = await run_in_threadpool(self._gallery.picture, number)
        return Response(data, media_type=kind)

    async def _start(self, request: Request) -> Response:
        said, who = await said_by(request)
        task = text_of(said, 'task')
        if not task:
            raise Refused(400, 'say what the arm should do')
        try:
            job = await run_in_threadpool(self._arm_there().desk.start, Order(task))
        except TaskRefused as error:
            raise Refused(409, error) from error
        self._people.note(who, 'task', task, job.name)
        self._feed.wake()
        return json_answer({'run': job.name})

    async def _answer(self, request: Request) -> Response:
        """An answer to the open question; the first one counts."""
        said, who = await said_by(request)
        station, desk = self._arm_there().station, self._arm_there().desk
        choice, text, question = said.get('choice'), text_of(said, 'text'), station.questions.open
        number = said.get('question', 0)
        if choice not in (YES, NO, EDIT) or (choice == EDIT and not text):
            raise Refused(400, 'answer yes, no, or edit with a text')
        if question is not None and question.kind == HINT and choice == YES and not text:
            raise Refused(400, 'a hint needs some words')
        if question is not None and question.kind == APPROVE and choice == YES and text:
            raise Refused(400, 'press "Change it" to have the plan changed, or empty the text')
        running = desk.running
        if question is None or question.number != number:
            raise Refused(409, CLOSED)
        if desk.stopped and choice != NO:
            raise Refused(409, desk.refusal())
        try:
            counts = await run_in_threadpool(station.questions.give, question.number,
                                             Answer(choice, text, who))
        except TaskRefused as error:
            raise Refused(409, error) from error
        if not counts:
            raise Refused(409, CLOSED)
        self._people.note(who, f'{question.kind}: {choice}', text, record_of(running))
        return json_answer({'question': question.number})

    async def _stop(self, request: Request) -> Response:
        said, who = await said_by(request)
        why = text_of(said, 'reason')
        desk = self._arm_there().desk
        job, problem = await asyncio.get_running_loop().run_in_executor(
            self._stops, desk.stop, f'{who} pressed stop{f": {why}" if why else ""}')
        self._people.note(who, 'stop', why, record_of(job))
        return json_answer({'run': job.name if job else '', 'problem': problem})

    async def _reset(self, request: Request) -> Response:
        _, who = await said_by(request)
        try:
            message = await run_in_threadpool(self._arm_there().desk.reset)
        except TaskRefused as error:
            raise Refused(409, error) from error
        self._people.note(who, 'reset', message)
        return json_answer({'message': message})

    async def _choose(self, request: Request) -> Response:
        """Start another world, or the same one again."""
        said, who = await said_by(request)
        arm, seed = self._arm_there(), said.get('seed', 0)
        station = arm.station
        if not isinstance(station, PageStation):
            raise Refused(409, 'this arm has one world')
        options, now = station.options, station.choice
        if type(seed) is not int or not 0 <= seed < 2**31:
            raise Refused(400, 'a seed is a whole number from 0 up')
        chosen = {key: said.get(key, getattr(now, key))
                  for key in ('scene', 'planner', 'perception', 'arm')}
        for key, name in chosen.items():
            if name not in options[f'{key}s'] and name != getattr(now, key):
                raise Refused(400, f'{key}: choose one of {", ".join(options[f"{key}s"])}')
        choice = Choice(seed=seed, **{key: str(name) for key, name in chosen.items()})
        try:
            await run_in_threadpool(arm.desk.between_tasks, lambda: station.choose(choice))
        except (TaskRefused, ConfigError) as error:
            raise Refused(409, error) from error
        self._people.note(who, 'world', f'{choice.scene}, seed {choice.seed}, planner '
                                        f'{choice.planner}, perception {choice.perception}, arm '
                                        f'{choice.arm}')
        return json_answer({})

    async def _touch(self, request: Request) -> Response:
        """What a person does in the simulated world, in the record of the task that runs."""
        said, who = await said_by(request)
        arm, thing = self._arm_there(), text_of(said, 'thing')
        person = arm.station.person if isinstance(arm.station, PageStation) else None
        if person is None:
            raise Refused(409, 'only a simulated world can be touched')
        x, y, angle = (number_of(said, key) for key in ('x', 'y', 'angle'))
        acts: dict[str, Callable[[Person], str]] = {
            'move': lambda by: by.move(thing, x, y), 'remove': lambda by: by.remove(thing),
            'push': lambda by: by.push(thing, angle), 'turn': lambda by: by.turn(thing, angle),
            'add': lambda by: by.add(thing, x, y)}
        act = acts.get(text_of(said, 'do'))
        if act is None:
            raise Refused(400, f'do: choose one of {", ".join(acts)}')
        running = arm.desk.running
        try:
            try:
                what = await run_in_threadpool(arm.desk.between_tasks, lambda: act(person))
            except Busy:
                what = await run_in_threadpool(act, person.during_a_task())
        except TaskRefused as error:
            raise Refused(409, error) from error
        self._people.note(who, 'touched the world', what, record_of(running))
        self._feed.wake()
        return json_answer({'said': what})

    def _arm_there(self) -> Arm:
        if self._arm is None:
            raise Refused(404, 'this server has no arm: it shows past runs')
        return self._arm


def _three_js() -> Path | None:
    """The file of three.js in its package; None where that is not installed."""
    package = find_spec('jupyter_threejs_sage')
    folder = Path(package.origin).parent if package and package.origin else ASSETS
    return max(folder.glob(f'static/r*/{THREE}'), default=None)
