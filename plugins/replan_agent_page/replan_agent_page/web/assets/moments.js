// The moments of a run in their order: its events, and between them the samples of its motion.

import { el, svg } from './dom.js';

const TOLD = ['plan_made', 'attempt_recorded', 'approval_decided', 'task_finished'];
const TOLD_MS = 600; // how long a moment is shown in which the arm does not move
const SHORT_MS = 40;
const PLOTS = [['joints, rad', (one) => one.q], ['joint speeds, rad/s', (one) => one.speed],
  ['gripper: opening and command, mm', (one) => [1000 * one.w, 1000 * (one.c ?? one.w)]],
  ['motor torques, N·m', (one) => one.f.slice(0, -1)],
  ['gripper force, N', (one) => one.f.slice(-1).map((n) => Math.max(0, -n))]];
const WIDE = 1000; // of a plot, in its own units
const TALL = 90;

// Adds all poses to each sample, which has only those that differ from the one before it.
export function withPoses(samples) {
  let poses = [];
  for (const one of samples) {
    if (one.moved) one.poses = poses = Object.assign([...poses], one.moved);
  }
}

export class Moments {
  constructor(events, motion) {
    this.events = events;
    this.samples = motion?.samples || [];
    this.solids = motion?.solids || null;
    this.start = events[0]?.robot_s ?? 0;
    this.list = [];
    let next = 0;
    let sample = -1;
    events.forEach((event, k) => {
      while (next < this.samples.length && this.samples[next].t < event.robot_s) {
        sample = next;
        next += 1;
        this.list.push({ event: k, sample, s: this.samples[sample].t });
      }
      while (this.samples[next]?.t === event.robot_s) next += 1;
      sample = next - 1;
      this.list.push({ event: k + 1, sample, s: event.robot_s, isEvent: true });
    });
    withPoses(this.samples);
    let before = this.samples[0];
    for (const one of this.samples) {
      const s = one.t - before.t;
      one.speed = one.q.map((angle, k) => (s > 0 ? (angle - before.q[k]) / s : 0));
      before = one;
    }
  }

  get count() { return this.list.length; }

  // In the address: '17' is event 17, '17-3' the third sample after it.
  name(at) {
    const { event } = this.list[at - 1] || { event: 0 };
    const shown = this.list.findIndex((one) => one.isEvent && one.event === event);
    return at - 1 === shown ? `${event}` : `${event}-${at - 1 - shown}`;
  }

  // 1 is the first moment; 0 if no moment has that name.
  named(name) {
    const [event, after] = String(name).split('-').map(Number);
    const shown = this.list.findIndex((one) => one.isEvent && one.event === event);
    return shown < 0 ? 0 : Math.min(shown + 1 + (after || 0), this.count);
  }

  ofEvent(k) { return this.list.findIndex((one) => one.isEvent && one.event === k + 1) + 1; }

  // How long this moment is shown before the next, ms: motion as it was, thoughts in short.
  lasts(at) {
    const [now, next] = [this.list[at - 1], this.list[at]];
    const ms = 1000 * (next.s - now.s);
    if (ms > 0 && ms < 2000) return ms;
    return now.isEvent && TOLD.includes(this.events[now.event - 1].event) ? TOLD_MS : SHORT_MS;
  }

  left(at) { return `${(100 * (at - 1)) / Math.max(this.count - 1, 1)}%`; }

  // The steps as bands, and what is worth a tick.
  marks() {
    const band = (from, to, event, kind, text) => {
      const made = el('i', { class: `${kind} ${event}`, title: text }, kind === 'band' ? text : '');
      made.style.left = this.left(from);
      if (to) made.style.width = `${(100 * (to - from)) / Math.max(this.count - 1, 1)}%`;
      return made;
    };
    let began = null;
    return this.events.flatMap((event, k) => {
      const at = this.ofEvent(k);
      if (event.event === 'step_started') began = at;
      if (event.event === 'step_finished' && began) {
        return [band(began, at, event.outcome, 'band', event.step?.skill || '')];
      }
      return TOLD.includes(event.event) ? [band(at, 0, event.event, 'tick', event.label)] : [];
    });
  }

  plots() {
    if (this.samples.length < 2) return [];
    return PLOTS.flatMap(([name, values]) => {
      const rows = this.samples.map(values);
      if (!rows[0].length) return []; // an arm that does not tell it
      const all = rows.flat();
      const [least, most] = all.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0.01]);
      const last = Math.max(this.count - 1, 1);
      const lines = rows[0].map((_, k) => svg('polyline', { class: `line${k}`,
        points: this.list.map(({ sample }, at) => (sample < 0 ? '' : `${(WIDE * at / last).toFixed(1)},`
          + `${(TALL * (most - rows[sample][k]) / (most - least)).toFixed(1)}`)).join(' ') }));
      return el('figure', { class: 'plot' }, svg('svg', { viewBox: `0 0 ${WIDE} ${TALL}`,
        preserveAspectRatio: 'none', role: 'img', 'aria-label': name }, lines),
      el('figcaption', {}, `${name}: ${least.toFixed(1)} to ${most.toFixed(1)}`));
    });
  }
}
