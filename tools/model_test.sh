#!/usr/bin/env bash
# tools/model_test.sh [OPTIONS OF bench]: serves a real model and measures how well it plans, into
# runs/model.*. A run that was interrupted goes on. MODEL=smollm2 takes the tiny one, PORT another port.
set -euo pipefail
cd "$(dirname "$0")/.."
port=${PORT:-8012}

tools/bootstrap.sh vlm,local,test
.venv/bin/python tools/model smollm2 >/dev/null # the tests need it
.venv/bin/python -m pytest -q plugins/replan_agent_bench/test/model
file=$(.venv/bin/python tools/model "${MODEL:-qwen}")
name=$(basename "$file" .gguf)
ready=$(mktemp)
.venv/bin/replan-agent local-model "$file" --port "$port" >"$ready" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -f "$ready"' EXIT
until grep -q '^ready' "$ready"; do
    kill -0 "$server" || exit 1 # its message is above
    sleep 1
done
cat "$ready"
.venv/bin/replan-agent bench --suite model --jobs 1 --model "$name" \
    --base-url "http://127.0.0.1:$port/v1" --keep "runs/$name.jsonl" --json "runs/$name.json" \
    --markdown "runs/$name.md" "$@"
