// Starts the page: what the address names is shown, and the live view follows the server.

import { forgetQuestion, prepareActing, showActing } from './act.js';
import { byId, say, words } from './dom.js';
import { get, keepToken, picture, stream } from './net.js';
import { RunView } from './panels.js';
import { showGallery, showReplay, showRuns } from './replay.js';
import { canDraw } from './space.js';
import { told } from './story.js';

const AGAIN_MS = 1000;
const WAIT_MS = 100;
const DRAW_MS = 100; // the arm may share its machine with this page
const SECTIONS = ['watch', 'runs', 'replay', 'gallery'];
const live = { run: '', events: [], status: null, view: null, drawn: false, has: {} };

function draw() {
  if (live.drawn) return;
  live.drawn = true;
  setTimeout(() => {
    live.drawn = false;
    const things = live.status?.world.things || [];
    byId('nothing-yet').hidden = live.events.length > 0;
    byId('nothing-yet').textContent = `No task yet.${things.length
      ? ` In this scene: ${things.map(words).join(', ')}.` : ''}`;
    live.view.show(told(live.events), live.status?.camera, live.status?.no_picture
      || (live.status?.camera ? '' : 'There is no live picture of this arm.'));
  }, DRAW_MS);
}

// In short; the whole text is shown by the pointer.
function connection(text) {
  byId('connection').textContent = text;
  byId('connection').title = text;
}

const HEARD = {
  status: (status) => {
    live.status = status;
    if (live.mayAct) showActing(status, live.view);
    connection(status.stopped || status.problem
      || (status.running ? `running: ${status.task}` : status.elsewhere
        ? `running, given elsewhere: ${status.elsewhere}` : 'ready'));
    draw();
  },
  run: ({ run }) => { Object.assign(live, { run, events: [] }); draw(); },
  happened: (event) => { live.events.push(event); draw(); },
};

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

// A browser has few connections to one server: tabs that nobody sees give theirs back.
function whileSeen() {
  const ended = new AbortController();
  const check = () => {
    if (!document.hidden) return;
    document.removeEventListener('visibilitychange', check);
    ended.abort();
  };
  document.addEventListener('visibilitychange', check);
  return ended.signal;
}

const seenAgain = () => new Promise((done) => {
  document.addEventListener('visibilitychange', done, { once: true });
});

async function follow() {
  for (;;) {
    let why = 'the server does not answer';
    try {
      const known = new URLSearchParams({ run: live.run, seen: live.events.length });
      await stream(`api/events?${known}`, (kind, data) => HEARD[kind]?.(data), whileSeen());
    } catch (error) {
      if (error.status === 401) return;
      if (error.name === 'AbortError') why = ''; // this page gave the connection back
      if (error.status) why = error.message;
    }
    if (document.hidden) await seenAgain();
    if (why) {
      forgetQuestion();
      connection(`${why}; trying again`);
    }
    await pause(AGAIN_MS);
  }
}

// Asks for what is next only when the last one is shown, and only while somebody can see it.
async function watch() {
  const after = { space: 0, flat: 0, world: 0 };
  const { view } = live;
  for (;;) {
    try {
      const seen = !document.hidden && !byId('watch').hidden && live.status;
      if (seen && live.status.solid && !view.space && canDraw) await solids(after);
      if (!live.status?.solid && view.space) view.world(null);
      if (seen && view.isSpace) await nextState(after);
      else if (seen && live.status.camera) await nextPicture(after);
      else await pause(WAIT_MS);
    } catch {
      await pause(AGAIN_MS);
    }
  }
}

async function solids(after) {
  const found = await get('api/solids', true);
  Object.assign(after, { world: found?.world, space: 0 });
  live.view.world(found);
}

async function nextState(after) {
  const found = await get(`api/motion?after=${after.space}`, true);
  if (!found) return;
  if (found.world !== after.world) await solids(after);
  else {
    after.space = found.number;
    live.view.space.at(found);
  }
}

async function nextPicture(after) {
  const found = await picture(`api/picture?after=${after.flat}`, true);
  if (!found) return pause(WAIT_MS);
  after.flat = found.number;
  await live.view.picture(found.url);
  if (!live.view.parts.overlay.firstChild) draw();
  return null;
}

function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const place = asked.get('run') ? 'replay' : [...asked.keys()][0];
  const offered = SECTIONS.filter((section) => live.has[section] ?? true);
  const name = offered.includes(place) ? place : offered[0];
  say('');
  for (const section of SECTIONS) {
    byId(section).hidden = section !== name;
    const link = byId(`to-${section}`);
    if (link) link.toggleAttribute('aria-current', section === name);
  }
  const show = { runs: showRuns, replay: () => showReplay(asked), gallery: showGallery }[name];
  Promise.resolve(show?.(byId(name))).catch((error) => {
    byId(name).replaceChildren(); // not what was shown before it
    byId(name).dataset.shown = '';
    say(error.message);
  });
}

// In a new tab, or for a link without a token.
function askForToken() {
  byId('token-form').hidden = false;
  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    keepToken(byId('token').value.trim());
    location.reload();
  });
}

async function start() {
  let hello;
  try {
    hello = await get('api/hello');
  } catch (error) {
    connection('not connected');
    say(error.message);
    if (error.status === 401) askForToken();
    return;
  }
  live.mayAct = hello.may_act;
  live.has = { watch: hello.arm, gallery: Boolean(hello.gallery) };
  byId('to-watch').hidden = !hello.arm;
  byId('to-gallery').hidden = !hello.gallery;
  connection(hello.arm ? 'connected' : 'no arm: past runs only');
  if (hello.may_act) prepareActing(hello.options);
  addEventListener('hashchange', route);
  route();
  if (hello.arm) {
    live.view = new RunView(byId('live'));
    live.view.side.prepend(byId('act'), byId('nothing-yet'));
    live.view.askGrasps = () => live.status?.question // its own are shown
      || get(`api/runs/${encodeURIComponent(live.run)}/grasps/${live.events.length}`)
        .then(({ grasps }) => live.view.space?.grasps(grasps)).catch(() => {}); // no run yet
    follow();
    watch();
  }
}

start();
