// Past runs: the list, a time line to scrub, two runs side by side, failed episodes.

import { byId, clipped, el, number, say, shown, words } from './dom.js';
import { Moments } from './moments.js';
import { get, picture } from './net.js';
import { changes, RunView } from './panels.js';
import { told } from './story.js';

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const LONGEST_CHOICE = 50; // characters
const OTHER = 0xe8741e; // the colour of the other run in the same view
const AT = ['at', 'other_at']; // in the address: the moment of each run

// An <img> of a protected address.
function shot(path, alt) {
  const image = el('img', { alt, loading: 'lazy' });
  picture(path).then(({ url }) => {
    image.addEventListener('load', () => URL.revokeObjectURL(url));
    image.src = url;
  }).catch(() => image.remove());
  return image;
}

const verdict = (run) => (run.unreadable ? run.unreadable : run.success === true ? 'succeeded'
  : run.final_reason ? 'failed' : 'did not finish');
const why = (run) => (run.success === false && run.final_reason
  ? `: ${shown(run.why || run.ended)}` : '');
const link = (run, more = '') => `#run=${encodeURIComponent(run)}${more}`;
const pictureOf = (run, file) => `api/runs/${encodeURIComponent(run)}/pictures/`
  + encodeURIComponent(file);

const WAIT_MS = 250; // until somebody has typed what is searched

export async function showRuns(root) {
  let runs = [];
  let asked = 0;
  const failedOnly = el('input', { type: 'checkbox', id: 'failed-only' });
  const find = el('input', { type: 'search', 'aria-label': 'search', autocomplete: 'off',
    placeholder: 'words of the task, verdict, scene, name, or 2026-11-18' });
  const list = el('ul', { class: 'cards' });
  const title = el('h2', { 'aria-live': 'polite' });
  const older = el('button', { type: 'button', onclick: () => more().catch((error) =>
    say(error.message)) });
  const card = (run, running) => el('li', { class: run.run === running ? 'now'
    : run.success === true ? 'good' : 'bad' },
  run.pictures.length ? shot(pictureOf(run.run, run.pictures.at(-1)), `the end of ${run.run}`)
    : null,
  el('a', { href: link(run.run) }, run.task || run.run),
  el('span', {}, run.run === running ? 'is running' : verdict(run) + why(run)),
  el('span', { class: 'faint' }, [run.at, run.scene, run.run].filter(Boolean).map(shown)
    .join(' · ')));
  const more = async () => {
    const query = new URLSearchParams({ skip: runs.length, find: find.value });
    if (failedOnly.checked) query.set('failed', '');
    const mine = asked += 1;
    const found = await get(`api/runs?${query}`);
    if (mine !== asked) return; // something else was asked for meanwhile
    runs.push(...found.runs);
    const isSome = find.value || failedOnly.checked;
    title.textContent = `${found.count} ${isSome ? 'of the ' : ''}past run`
      + `${found.count === 1 && !isSome ? '' : 's'}`;
    older.textContent = `Show older runs (${found.count - runs.length})`;
    older.hidden = found.count <= runs.length;
    list.replaceChildren(...runs.filter((run) => !failedOnly.checked || run.run !== found.running)
      .map((run) => card(run, found.running)));
  };
  const again = () => {
    runs = [];
    more().catch((error) => say(error.message));
  };
  let typed = 0;
  find.addEventListener('input', () => {
    clearTimeout(typed);
    typed = setTimeout(again, WAIT_MS);
  });
  failedOnly.addEventListener('change', again);
  await more();
  root.replaceChildren(title, el('p', { class: 'controls' }, find, failedOnly,
    el('label', { for: 'failed-only' }, 'only those that failed')), list, older);
}

export async function showGallery(root) {
  const { file, episodes } = await get('api/gallery');
  root.replaceChildren(el('h2', {}, `${episodes.length} failed episode${episodes.length === 1
    ? '' : 's'} in ${file}`),
    el('ul', { class: 'cards' }, episodes.map((one) => el('li', { class: 'bad' },
      one.has_picture ? shot(`api/gallery/${one.number}`, `${one.row} ${one.seed}`) : null,
      el('strong', {}, [one.row, one.thing, one.column].filter(Boolean).map(shown).join(' · ')),
      el('span', {}, `seed ${shown(one.seed)}: `
        + shown(one.objection || one.ended || 'no reason is given')),
      one.claimed ? el('span', { class: 'warn' }, 'the agent said it succeeded') : null,
      one.final_detail && el('span', { class: 'faint' }, shown(one.final_detail))))));
}

class Player {
  constructor(root, run, motion, at, onMove) {
    Object.assign(this, { run, onMove, moments: new Moments(run.events, motion) });
    this.pictures = new Map();
    const most = this.moments.count;
    this.slider = el('input', { type: 'range', min: 1, max: Math.max(most, 1), class: 'scrub',
      'aria-label': `moment of ${run.run}`, oninput: () => this.go(Number(this.slider.value)) });
    this.moment = el('output', { class: 'moment' });
    const button = (name, act) => el('button', { type: 'button', onclick: act }, name);
    this.speed = el('select', { 'aria-label': 'speed' }, SPEEDS.map((speed) =>
      el('option', { value: speed, selected: speed === 1 }, `${speed}×`)));
    this.cursor = el('i', { class: 'cursor' });
    const plots = this.moments.plots();
    const body = el('div', {});
    root.replaceChildren(el('p', {}, el('strong', {}, run.run), ` ${verdict(run)}`),
      el('p', { class: 'warn' }, [run.broken, motion?.why].filter(Boolean).join('; ')),
      el('p', { class: 'controls' },
        this.play = button('Play', () => this.toggle()), this.speed,
        button('Back', () => this.step(-1)), button('Next', () => this.step(1)),
        button('Next failure', () => this.nextFailure()), this.moment),
      el('div', { class: 'ticks', 'aria-hidden': 'true' }, this.moments.marks()), this.slider,
      plots.length ? el('details', { class: 'plots' }, el('summary', {}, 'Joints, torques and gripper'),
        el('div', { class: 'along' }, this.cursor, plots)) : '', body);
    this.view = new RunView(body);
    this.view.world(this.moments.solids);
    this.view.askGrasps = () => get(`api/runs/${encodeURIComponent(run.run)}/grasps/${this.count}`)
      .then(({ grasps }) => this.view.space?.grasps(grasps)).catch(() => {});
    this.go(this.moments.named(at) || most);
  }

  step(by) { this.go(this.at + by); }

  // The last moment that is no later, s after its start.
  goTo(s) {
    const { list, start } = this.moments;
    const later = list.findIndex((one) => one.s - start > s);
    const at = later < 0 ? list.length : Math.max(later, 1);
    if (at !== this.at) this.go(at);
  }

  // The other run is drawn in the view of this one, and goes along with it.
  join(other, place) {
    const { space, seen } = this.view;
    if (!space || !other.view.space) return;
    this.other = place ? other : null;
    other.within = place ? space : null;
    space.planned(place ? other.moments : null, OTHER);
    other.view.seen.hidden = Boolean(place);
    if (place) place.prepend(seen);
    else this.view.columns.prepend(seen);
    this.go(this.at);
  }

  go(at) {
    const { moments, run } = this;
    this.at = Math.min(Math.max(at, 1), moments.count);
    this.slider.value = this.at;
    const { event: count, sample } = moments.list[this.at - 1] || { event: 0, sample: -1 };
    if (sample >= 0 && this.view.space) this.view.space.at(moments.samples[sample]);
    if (sample >= 0) this.within?.plannedAt(moments.samples[sample].poses);
    this.other?.goTo((moments.list[this.at - 1]?.s || 0) - moments.start);
    this.cursor.style.left = moments.left(this.at);
    if (count !== this.count) this.tell(count);
    const event = run.events[count - 1];
    const s = moments.list[this.at - 1]?.s - (run.events[0]?.robot_s ?? 0);
    this.moment.textContent = event ? `${count} of ${run.events.length}: ${event.label} `
      + `(${number(s || 0, 2)} s of the arm)` : 'no events';
    this.slider.setAttribute('aria-valuetext', this.moment.textContent);
    if (!this.isPlaying) this.onMove(moments.name(this.at)); // browsers allow few new addresses
  }

  // What is known after so many events.
  tell(count) {
    this.count = count;
    const now = told(this.run.events, count);
    if (count === this.run.events.length) now.people = this.run.people;
    this.view.show(now, this.run.camera, 'This run has no pictures.');
    this.load(now);
  }

  // Pictures are kept: scrubbing back and forth asks for each only once.
  async load(now) {
    const file = now.picture.split('/').at(-1);
    if (!file) {
      this.view.image.hidden = true;
      return;
    }
    if (!this.pictures.has(file)) {
      this.pictures.set(file, picture(pictureOf(this.run.run, file)));
    }
    try {
      const { url } = await this.pictures.get(file);
      if (this.view.now.picture !== now.picture) return; // a later moment is shown by now
      this.view.image.src = url;
      this.view.image.hidden = false;
      this.view.show(this.view.now, this.run.camera);
    } catch { // the picture is gone: the map is there
      if (this.view.now.picture !== now.picture) return;
      this.view.image.hidden = true; // it is of another moment
      this.view.show(this.view.now, this.run.camera, 'The picture of this moment is missing.');
    }
  }

  // Gives the pictures, and what draws in three dimensions, back to the browser.
  free() {
    this.view.world(null);
    this.pictures.forEach((one) => one.then(({ url }) => URL.revokeObjectURL(url), () => {}));
  }

  nextFailure() {
    const next = this.run.events.findIndex((event, k) => this.moments.ofEvent(k) > this.at
      && event.event === 'attempt_recorded');
    if (next >= 0) this.go(this.moments.ofEvent(next)); else say('there is no later failure');
  }

  toggle() {
    this.isPlaying = !this.isPlaying;
    this.play.textContent = this.isPlaying ? 'Pause' : 'Play';
    if (!this.isPlaying) {
      this.onMove(this.moments.name(this.at));
      return;
    }
    if (this.at === this.moments.count) this.go(1);
    let [before, left] = [performance.now(), 0];
    const frame = (now) => {
      if (!this.isPlaying) return;
      left += (now - before) * Number(this.speed.value);
      before = now;
      let { at } = this;
      while (at < this.moments.count && left >= this.moments.lasts(at)) {
        left -= this.moments.lasts(at);
        at += 1;
      }
      if (at !== this.at) this.go(at);
      if (at >= this.moments.count || !this.slider.isConnected) this.toggle();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
}

// Two versions of a plan, of one run or of two.
function planDiff(one, two) {
  const choose = (run, chosen) => el('select', { 'aria-label': `plan of ${run.run}` },
    (run.plans || []).map((version) => el('option', { value: version,
      selected: version === chosen }, `plan ${version}`)));
  const other = two || one;
  const a = choose(one, one.plans?.[0]);
  const b = choose(other, other.plans?.at(-1));
  const out = el('div', {});
  const compare = async () => {
    try {
      const query = new URLSearchParams({ run: one.run, a: a.value, other: other.run, b: b.value });
      out.replaceChildren(changes((await get(`api/diff?${query}`)).lines));
    } catch (error) {
      out.replaceChildren(el('p', { class: 'bad' }, error.message));
    }
  };
  return el('div', { class: 'compare' }, el('h3', {}, 'Compare plans'), a, ' with ', b, ' ',
    el('button', { type: 'button', onclick: compare }, 'Compare'), out);
}

export async function showReplay(asked) {
  const root = byId('replay');
  const names = [asked.get('run'), asked.get('other')].filter(Boolean);
  const key = JSON.stringify(names);
  // A run that was not finished may have gone on since.
  if (root.dataset.shown === key && root.players?.every((player) => player.run.complete)) {
    root.players.forEach((player, k) => player.go(player.moments.named(asked.get(AT[k])) || player.at));
    return;
  }
  root.dataset.asked = key;
  const path = (name) => `api/runs/${encodeURIComponent(name)}`;
  const [runs, motions] = await Promise.all([Promise.all(names.map((name) => get(path(name)))),
    Promise.all(names.map((name) => get(`${path(name)}/motion`).catch(() => null)))]);
  const others = (await get('api/runs')).runs.filter((run) => !names.includes(run.run));
  if (root.dataset.asked !== key) return; // another one was asked for meanwhile
  const columns = runs.map(() => el('section', { class: 'player' }));
  const beside = el('select', { 'aria-label': 'another run beside it' },
    el('option', { value: '' }, 'nothing'), [...runs.slice(1), ...others].map((run) => el('option',
      { value: run.run, selected: run.run === names[1] },
      clipped(`${run.run}: ${run.task}`, LONGEST_CHOICE))));
  beside.addEventListener('change', () => {
    location.hash = link(names[0], beside.value ? `&other=${encodeURIComponent(beside.value)}` : '');
  });
  const copy = el('button', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say('the link is copied');
    } catch { say(location.href); }
  } }, 'Copy a link to this moment');
  const shared = el('div', { class: 'shared' });
  const join = el('label', { hidden: true }, el('input', { type: 'checkbox', checked: true,
    onchange: (event) => root.players[0].join(root.players[1], event.target.checked && shared) }),
  'both in one view');
  root.replaceChildren(el('p', { class: 'controls' }, el('a', { href: '#runs' }, 'All runs'),
    ' beside it: ', beside, join, copy), shared,
  el('div', { class: `players of${runs.length}` }, columns),
  runs.flatMap((run) => run.plans || []).length > 1 && runs.every((run) => run.plans?.length)
    ? planDiff(runs[0], runs[1]) : '');
  root.players?.forEach((player) => player.free());
  root.dataset.shown = key;
  const more = names[1] ? `&other=${encodeURIComponent(names[1])}` : '';
  const moments = names.map((_, k) => asked.get(AT[k]));
  root.players = runs.map((run, k) => new Player(columns[k], run, motions[k], moments[k], (at) => {
    moments[k] = at;
    history.replaceState(null, '', link(names[0], more + moments.map((moment, m) =>
      (moment ? `&${AT[m]}=${moment}` : '')).join('')));
  }));
  const [one, two] = root.players;
  join.hidden = !one.view.space || !two?.view.space;
  if (!join.hidden && !asked.get(AT[1])) one.join(two, shared);
  else join.querySelector('input').checked = false;
}
