// Talks to the server. The token comes behind # in the address, and leaves it at once.

const KEPT = 'replan_agent token';

export const keepToken = (given) => sessionStorage.setItem(KEPT, given);

function token() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const given = asked.get('token');
  if (given) {
    keepToken(given);
    asked.delete('token');
    history.replaceState(null, '', `${location.pathname}${String(asked) && `#${asked}`}`);
  }
  return sessionStorage.getItem(KEPT) || '';
}

const TOKEN = token();
const CROWDED_MS = 300;
let held = new AbortController(); // what this page keeps open

function headers(more = {}) {
  return TOKEN ? { ...more, Authorization: `Bearer ${TOKEN}` } : more;
}

async function checked(response) {
  if (response.ok) return response;
  let why = `the server answered ${response.status}`;
  try { why = (await response.json()).error || why; } catch { /* not JSON: the status says it */ }
  throw Object.assign(new Error(why), { status: response.status });
}

// null: nothing new.
export async function get(path, isLive = false) {
  const response = await checked(await fetch(path, { headers: headers(),
    signal: isLive ? held.signal : undefined }));
  return response.status === 204 ? null : { ...await response.json(), ...stamped(response) };
}

const stamped = (response) => (response.headers.has('X-Picture')
  ? { number: Number(response.headers.get('X-Picture')) } : {});

export async function post(path, body) {
  const sent = { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }),
    body: JSON.stringify(body), priority: 'high' };
  // A browser has few connections to one server. If windows use them all, this one gives its own
  // back: a stop must not wait.
  const crowded = setTimeout(() => {
    held.abort();
    held = new AbortController();
  }, CROWDED_MS);
  try {
    return await (await checked(await fetch(path, sent))).json();
  } finally {
    clearTimeout(crowded);
  }
}

// A picture as an address that an <img> may use; the caller frees it. null: nothing new.
export async function picture(path, isLive = false) {
  const response = await checked(await fetch(path, { headers: headers(), priority: 'low',
    signal: isLive ? held.signal : undefined }));
  if (response.status === 204) return null;
  return { url: URL.createObjectURL(await response.blob()), ...stamped(response) };
}

// Calls on(kind, data) for each server-sent event, until the connection ends.
export async function stream(path, on, until) {
  const ended = new AbortController();
  for (const one of [until, held.signal]) one.addEventListener('abort', () => ended.abort());
  const response = await checked(await fetch(path, { headers: headers(), signal: ended.signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const lines = block.split('\n');
      const kind = lines.find((line) => line.startsWith('event: '));
      const data = lines.find((line) => line.startsWith('data: '));
      if (kind && data) on(kind.slice(7), JSON.parse(data.slice(6)));
    }
  }
}
