#!/usr/bin/env python3
"""Records what a real model answers, as fixtures: `tools/record_replies.py --help`.

The real planner asks, in every way and with the compact prompt, through a small proxy that keeps
the body of every answer as it was sent.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replan_agent_bench.worlds.sentence_scenes import SCENES  # noqa: E402
from replan_agent_bench.worlds.sentences import Sentence, folder, sentences  # noqa: E402

from replan_agent.app.build.build_planner import build_check  # noqa: E402
from replan_agent.app.build.build_reader import build_reader  # noqa: E402
from replan_agent.domain.config import Config, VLMConfig  # noqa: E402
from replan_agent.domain.context import Context  # noqa: E402
from replan_agent.domain.plan import PlanRequest  # noqa: E402
from replan_agent.execute.skills.standard import standard_skills  # noqa: E402
from replan_agent.plan.model.asking.ways import COMPACT, WAYS, Asking, Way  # noqa: E402
from replan_agent.plan.model.vlm import VLMPlanner  # noqa: E402
from replan_agent.vlm.client import ChatClient  # noqa: E402

TEMPERATURES = (0.0, 0.7, 1.2)
TIMEOUT_S = 300.0


@dataclass
class Proxy:
    """Passes requests on to `target` and keeps the answers in `kept`."""

    target: str
    kept: list[tuple[int, str, str]] = field(default_factory=list)  # status, type, body

    def start(self) -> str:
        """Its address."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers['Content-Length']))
                status, kind, answer = proxy.ask(self.path.removeprefix('/v1'), body)
                data = answer.encode()
                self.send_response(status)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is logged."""

        server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f'http://127.0.0.1:{server.server_address[1]}/v1'

    def ask(self, path: str, body: bytes) -> tuple[int, str, str]:
        request = urllib.request.Request(self.target + path, body,
                                         {'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                found = answer.status, answer.headers.get_content_type(), answer.read().decode()
        except urllib.error.HTTPError as error:
            found = error.code, error.headers.get_content_type(), error.read().decode()
        self.kept.append(found)
        return found


def cases(way: str, files: Sequence[Path]) -> Iterator[tuple[Sentence, float, int]]:
    """Sentence, temperature and seed, without end; with each round the sentences change."""
    table = [s for file in files for s in sentences(file)]
    shift = 7 * WAYS.index(Way(way))
    for number in count():
        yield (table[(number + shift) % len(table)],  # of one scene, then of the next
               TEMPERATURES[number % len(TEMPERATURES)], number)


def ask(url: str, model: str, max_tokens: int, way: str, case: Sentence, temperature: float,
        seed: int) -> None:
    """The planner asks as it does in a run: with reminders and corrections."""
    settings = VLMConfig(url, model, timeout=TIMEOUT_S, first_token_timeout=TIMEOUT_S,
                         max_retries=0, temperature=temperature, max_tokens=max_tokens,
                         extra_body=json.dumps({'seed': seed}))
    client = ChatClient(settings, {})
    planner = VLMPlanner(client, build_check(Config()), build_reader(),
                         asking=Asking(way, COMPACT))
    planner.plan(PlanRequest(case.text, SCENES[case.scene], standard_skills().specs()), Context())
    client.close()


def record(out: Path, proxy: Proxy, model: str, way: str, n: int, max_tokens: int,
           files: Sequence[Path]) -> None:
    """Ask until the file has `n` replies of this way."""
    url = proxy.start()
    found = read(out)
    have = [r for r in found if r['mode'] == way]
    seen = {r['seed'] for r in have}
    for case, temperature, seed in cases(way, files):
        if len(have) >= n:
            return
        if seed in seen:
            continue
        proxy.kept.clear()
        ask(url, model, max_tokens, way, case, temperature, seed)
        if any(status >= 500 for status, _, _ in proxy.kept):
            sys.exit(f'the server cannot answer: {proxy.kept[-1][2]}')
        new = [{'model': model, 'mode': way, 'scene': case.scene, 'task': case.text,
                'temperature': temperature, 'seed': seed, 'turn': turn, 'status': status,
                'type': kind, 'body': body}
               for turn, (status, kind, body) in enumerate(proxy.kept)]
        found += new
        have += new
        write(out, found)
        print(f'{way}: {len(have)} of {n}: {case.text}', flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def write(path: Path, replies: list[dict[str, Any]]) -> None:
    text = ''.join(json.dumps(reply, ensure_ascii=False) + '\n' for reply in replies)
    part = path.with_name(f'{path.name}.part')
    part.write_bytes(gzip.compress(text.encode(), mtime=0))
    part.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description='Record real replies; a run that was '
                                                 'interrupted goes on.')
    parser.add_argument('out', type=Path, metavar='FILE.jsonl.gz')
    parser.add_argument('--base-url', default='http://127.0.0.1:8012/v1')
    parser.add_argument('--model', required=True)
    ways = [way.value for way in WAYS]
    parser.add_argument('--ways', nargs='+', choices=ways, default=ways)
    parser.add_argument('--n', type=int, default=75, help='replies for each way')
    parser.add_argument('--max-tokens', type=int, default=120)
    parser.add_argument('--sentences', nargs='+', type=Path, metavar='FILE',
                        default=sorted((folder() / 'models').glob('*.txt')),
                        help='what is asked (default: the sentences of the suite model)')
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for way in options.ways:
        record(options.out, Proxy(options.base_url), options.model, way, options.n,
               options.max_tokens, options.sentences)
    return 0


if __name__ == '__main__':
    sys.exit(main())
