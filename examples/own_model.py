# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model of your own: any server that speaks OpenAI's chat completions. Here it is a small one.

    .venv/bin/python examples/own_model.py

It knows one plan, and answers over real HTTP. Yours is the same with another `base_url`.
"""

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from replan_agent import Simulation, load_config

PLAN = [('set_goal', {'goals': [{'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}]}),
        ('pick', {'object': 'red_cube'}), ('place_in', {'target': 'bowl'})]


class Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        print(f'asked with {len(asked["messages"])} messages and {len(asked["tools"])} tools')
        calls = [{'id': str(n), 'type': 'function', 'function': {
            'name': name, 'arguments': json.dumps(given)}} for n, (name, given) in enumerate(PLAN)]
        said = {'role': 'assistant', 'content': None, 'tool_calls': calls}
        body = json.dumps({'id': 'x', 'object': 'chat.completion', 'created': 0, 'model': 'mine',
                           'choices': [{'index': 0, 'finish_reason': 'tool_calls',
                                        'message': said}]}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: no line for each request."""


server = ThreadingHTTPServer(('127.0.0.1', 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
usual = load_config(None)
config = replace(usual, planner='vlm', vlm=replace(
    usual.vlm, model='mine', base_url=f'http://127.0.0.1:{server.server_port}/v1', images=False))
result = Simulation('tabletop', config=config).run('put the red cube in the bowl')
server.shutdown()
print(result.success, result.final_reason, result.planner, result.api_calls)
