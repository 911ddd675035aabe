// The planned motion of the plan that is asked about: a ghost, to be scrubbed before a yes.

import { call, el } from './dom.js';
import { withPoses } from './moments.js';
import { get } from './net.js';
import { canDraw } from './space.js';

const PERIOD_MS = 40;

// Controls for the ghost in a view; they appear when it is known how the plan would move.
export function planned(question, view) {
  const root = el('div', { class: 'planned', 'aria-label': 'Planned motion', role: 'group' },
    el('ol', { class: 'steps' }, question.plan.steps.map((step) => el('li', {}, el('code', {},
      call(step)), ' ', step.description))),
    el('p', { class: 'faint' }, 'The planned motion is being computed.'));
  get(`api/planned/${question.number}`).then((motion) => {
    if (!root.isConnected) return;
    if (motion) fill(root, question, view, motion);
    else root.lastChild.remove();
  }).catch((error) => { root.lastChild.textContent = error.message; });
  return root;
}

function fill(root, question, view, motion) {
  const { samples } = motion;
  const near = motion.near?.length ? `It comes close to ${motion.near.join(', ')}.`
    : motion.works ? 'It keeps 5 cm from the things that the plan does not name.' : '';
  const [steps, said] = root.children;
  said.className = '';
  said.textContent = `${motion.said} ${samples.length ? near : ''}`;
  if (!samples.length || !canDraw) return;
  withPoses(samples);
  let [shown, drawn] = [null, null];
  const now = el('output', { class: 'moment' });
  const slider = el('input', { type: 'range', min: 0, max: samples.length - 1, class: 'scrub',
    'aria-label': 'planned motion', oninput: () => go(Number(slider.value)) });
  const go = (at) => {
    if (view.space !== drawn) {
      drawn = view.space;
      drawn?.planned(motion);
    }
    const step = question.plan.steps.find((one) => one.step_number === samples[at].step);
    if (step && step !== shown) {
      shown = step;
      view.space?.grasps(motion.grasps[step.step_number] || []);
      [...steps.children].forEach((one, k) => one.classList.toggle('running',
        question.plan.steps[k] === step));
    }
    slider.value = at;
    now.textContent = `${samples[at].t.toFixed(1)} s${step ? `: ${call(step)}` : ''}`;
    slider.setAttribute('aria-valuetext', now.textContent);
    view.space?.plannedAt(samples[at].poses);
  };
  const play = el('button', { type: 'button', onclick: () => {
    let from = 0;
    const frame = (ms) => {
      from ||= ms;
      const at = Math.min(Math.floor((ms - from) / PERIOD_MS), samples.length - 1);
      if (!root.isConnected) return;
      go(at);
      if (at < samples.length - 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  } }, 'Show it');
  root.append(play, ...question.plan.steps.map((step) => el('button', { type: 'button',
    onclick: () => go(Math.max(samples.findIndex((one) => one.step === step.step_number), 0)) },
  `Step ${step.step_number}`)), slider, now);
  go(0);
  view.onSpace = () => root.isConnected && go(Number(slider.value)); // a page that opens only now
}
