// Talks to the server. The token comes behind # in the address, and leaves it at once.

const KEPT = 'replan_agent token';

function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEPT) || '';
}

const TOKEN = token();

function headers(more = {}) {
  return TOKEN ? { ...more, Authorization: `Bearer ${TOKEN}` } : more;
}

async function checked(response) {
  if (response.ok) return response;
  let why = `the server answered ${response.status}`;
  try { why = (await response.json()).error || why; } catch { /* not JSON: the status says it */ }
  throw Object.assign(new Error(why), { status: response.status });
}

export async function get(path) {
  return (await checked(await fetch(path, { headers: headers() }))).json();
}

export async function post(path, body) {
  const sent = { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }),
    body: JSON.stringify(body) };
  return (await checked(await fetch(path, sent))).json();
}

// A picture as an address that an <img> may use; the caller frees it. null: nothing new.
export async function picture(path) {
  const response = await checked(await fetch(path, { headers: headers() }));
  if (response.status === 204) return null;
  return { url: URL.createObjectURL(await response.blob()),
    number: Number(response.headers.get('X-Picture') || 0) };
}

// Calls on(kind, data) for each server-sent event, until the connection ends.
export async function stream(path, on, signal) {
  const response = await checked(await fetch(path, { headers: headers(), signal }));
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
