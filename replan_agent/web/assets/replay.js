// Past runs: the list, a time line to scrub, two runs side by side, failed episodes.

import { byId, el, number, say } from './dom.js';
import { get, picture } from './net.js';
import { changes, RunView } from './panels.js';
import { sentence, told } from './story.js';

const PLAY_MS = 400;
const TOLD = ['plan_made', 'attempt_recorded', 'approval_decided', 'task_finished'];

// An <img> of a protected address.
function shot(path, alt) {
  const image = el('img', { alt, loading: 'lazy' });
  picture(path).then((found) => { image.src = found.url; }).catch(() => image.remove());
  return image;
}

const verdict = (run) => (run.unreadable ? run.unreadable : run.success ? 'succeeded'
  : run.final_reason || 'did not finish');
const link = (run, more = '') => `#run=${encodeURIComponent(run)}${more}`;

export async function showRuns(root) {
  const { runs } = await get('api/runs');
  const failedOnly = el('input', { type: 'checkbox', id: 'failed-only' });
  const list = el('ul', { class: 'cards' });
  const fill = () => list.replaceChildren(...runs.filter((run) => !failedOnly.checked
    || !run.success).map((run) => el('li', { class: run.success ? 'good' : 'bad' },
    run.pictures.length ? shot(`api/runs/${run.run}/pictures/${run.pictures.at(-1)}`,
      `the end of ${run.run}`) : null,
    el('a', { href: link(run.run) }, run.task || run.run),
    el('span', {}, verdict(run)), el('span', { class: 'faint' }, run.run))));
  failedOnly.addEventListener('change', fill);
  root.replaceChildren(el('h2', {}, `${runs.length} past runs`),
    el('p', {}, failedOnly, el('label', { for: 'failed-only' }, 'only those that failed')), list);
  fill();
}

export async function showGallery(root) {
  const { file, episodes } = await get('api/gallery');
  root.replaceChildren(el('h2', {}, `${episodes.length} failed episodes in ${file}`),
    el('ul', { class: 'cards' }, episodes.map((one) => el('li', { class: 'bad' },
      one.has_picture ? shot(`api/gallery/${one.number}`, `${one.row} ${one.seed}`) : null,
      el('strong', {}, [one.row, one.thing, one.column].filter(Boolean).join(' · ')),
      el('span', {}, `seed ${one.seed}: ${one.objection || one.final_reason}`),
      one.claimed ? el('span', { class: 'warn' }, 'the agent said it succeeded') : null,
      el('span', { class: 'faint' }, one.final_detail)))));
}

class Player {
  constructor(root, run, at, onMove) {
    this.run = run;
    this.onMove = onMove;
    this.pictures = new Map();
    const most = run.events.length;
    this.slider = el('input', { type: 'range', min: 1, max: Math.max(most, 1), class: 'scrub',
      'aria-label': `moment of ${run.run}`, oninput: () => this.go(Number(this.slider.value)) });
    this.moment = el('output', { class: 'moment' });
    const button = (name, act) => el('button', { type: 'button', onclick: act }, name);
    this.marks = el('div', { class: 'ticks', 'aria-hidden': 'true' });
    run.events.forEach((event, k) => {
      if (!TOLD.includes(event.event)) return;
      const tick = el('i', { class: event.event, title: sentence(event) });
      tick.style.left = `${(100 * k) / Math.max(most - 1, 1)}%`;
      this.marks.append(tick);
    });
    const body = el('div', {});
    root.replaceChildren(el('p', {}, el('strong', {}, run.run), ` ${verdict(run)}`),
      el('p', { class: 'warn' }, run.broken), this.marks, this.slider, el('p', { class: 'controls' },
        this.play = button('Play', () => this.toggle()), button('Back', () => this.step(-1)),
        button('Next', () => this.step(1)), button('Next failure', () => this.nextFailure()),
        this.moment), body);
    this.view = new RunView(body);
    this.go(Math.min(Math.max(at || most, 1), most));
  }

  step(by) { this.go(this.at + by); }

  go(at) {
    this.at = Math.min(Math.max(at, 1), this.run.events.length);
    this.slider.value = this.at;
    const event = this.run.events[this.at - 1];
    const now = told(this.run.events, this.at);
    if (this.at === this.run.events.length) now.people = this.run.people;
    this.moment.textContent = event ? `${this.at} of ${this.run.events.length}: `
      + `${sentence(event)} (${number(now.wall, 2)} s)` : 'no events';
    this.slider.setAttribute('aria-valuetext', this.moment.textContent);
    this.view.show(now, this.run.camera, 'This run has no pictures.');
    this.load(now);
    this.onMove(this.at);
  }

  // Pictures are kept: scrubbing back and forth asks for each only once.
  async load(now) {
    const file = now.picture.split('/').at(-1);
    if (!file) {
      this.view.image.hidden = true;
      return;
    }
    if (!this.pictures.has(file)) {
      this.pictures.set(file, picture(`api/runs/${this.run.run}/pictures/${file}`));
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

  nextFailure() {
    const next = this.run.events.findIndex((event, k) => k >= this.at
      && event.event === 'attempt_recorded');
    if (next >= 0) this.go(next + 1); else say('there is no later failure');
  }

  toggle() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
    } else {
      if (this.at === this.run.events.length) this.go(1);
      this.timer = setInterval(() => {
        if (this.at >= this.run.events.length || !this.slider.isConnected) this.toggle();
        else this.step(1);
      }, PLAY_MS);
    }
    this.play.textContent = this.timer ? 'Pause' : 'Play';
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
      out.replaceChildren(changes(await get(`api/diff?${query}`)));
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
  const key = names.join(' ');
  if (root.dataset.shown === key && root.players) {
    root.players[0].go(Number(asked.get('at')) || root.players[0].at);
    return;
  }
  const runs = await Promise.all(names.map((name) => get(`api/runs/${encodeURIComponent(name)}`)));
  const others = (await get('api/runs')).runs.filter((run) => run.run !== names[0]);
  const columns = runs.map(() => el('section', { class: 'player' }));
  const beside = el('select', { 'aria-label': 'another run beside it' },
    el('option', { value: '' }, 'nothing'), others.map((run) => el('option',
      { value: run.run, selected: run.run === names[1] }, `${run.run}: ${run.task}`)));
  beside.addEventListener('change', () => {
    location.hash = link(names[0], beside.value ? `&other=${encodeURIComponent(beside.value)}` : '');
  });
  const copy = el('button', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say('the link is copied');
    } catch { say(location.href); }
  } }, 'Copy a link to this moment');
  root.replaceChildren(el('p', {}, el('a', { href: '#runs' }, 'All runs'), ' · beside it: ', beside,
    ' ', copy), el('div', { class: `players of${runs.length}` }, columns),
  runs[0].plans?.length ? planDiff(runs[0], runs[1]) : '');
  root.dataset.shown = key;
  const more = names[1] ? `&other=${encodeURIComponent(names[1])}` : '';
  root.players = runs.map((run, k) => new Player(columns[k], run,
    k === 0 ? Number(asked.get('at')) : 0, (at) => {
      if (k === 0) history.replaceState(null, '', link(run.run, `${more}&at=${at}`));
    }));
}
