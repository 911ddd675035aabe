// What a person does: tasks, answers, stop, another world.

import { byId, el, number, say, words } from './dom.js';
import { post } from './net.js';
import { changes } from './panels.js';
import { planned } from './planned.js';
import { showTalk } from './talk.js';
import { Touch } from './touch.js';

const NAME = 'replan_agent name';
const WORLD = ['scene', 'planner', 'perception', 'arm']; // what can be chosen, beside the seed
const APPROVES = { console: 'every plan is asked about', adaptive: 'risky plans are asked about',
  auto: 'no plan is asked about', none: 'every plan is denied' };

async function sent(path, body) {
  try {
    say('');
    return await post(path, { ...body, who: byId('who').value });
  } catch (error) {
    say(error.message);
    return null;
  }
}

export function prepareActing(options) {
  byId('act').hidden = byId('stop').hidden = false;
  byId('who').value = localStorage.getItem(NAME) || '';
  byId('who').addEventListener('change', () => localStorage.setItem(NAME, byId('who').value));
  byId('task-form').addEventListener('submit', (event) => {
    event.preventDefault();
    sent('api/task', { task: byId('task').value }).then((answer) => {
      if (answer) byId('task').value = '';
    });
  });
  const world = byId('world-form');
  byId('world').hidden = !options.scenes;
  if (options.scenes) prepareWorld(world, options);
  // Two buttons: a second click on Stop must not release the stop.
  byId('stop').addEventListener('click', stop);
  byId('reset').addEventListener('click', () => sent('api/reset', {}));
}

// Whether the arm really stops is worth a sentence.
async function stop() {
  const answer = await sent('api/stop', {});
  if (!answer) say(`The arm was not stopped: ${byId('alert').textContent}. Use its stop button.`);
  else if (answer.problem) say(`Stopped, but: ${answer.problem}`);
}

function prepareWorld(world, options) {
  for (const key of WORLD) {
    world.elements[key].replaceChildren(...options[`${key}s`].map((name) =>
      el('option', { value: name }, name.split('/').at(-1))));
  }
  world.addEventListener('submit', async (event) => {
    event.preventDefault();
    world.inert = true;
    await sent('api/world', { seed: Number(world.elements.seed.value),
      ...Object.fromEntries(WORLD.map((key) => [key, world.elements[key].value])) });
    world.inert = false;
  });
}

let asked = 0;
let touch = null;
let shown = '';

// The server is gone: its question is too.
export function forgetQuestion() {
  asked = 0;
  byId('question').replaceChildren();
}

export function showActing(status, view) {
  const { world, stopped, running, question } = status;
  byId('reset').hidden = !stopped && Boolean(world.scene); // over ROS others can stop the arm too
  byId('world-now').textContent = `${world.scene}, seed ${world.seed}, ${world.planner}, `
    + `${words(world.perception)}, ${world.arm?.split('/').at(-1)}, ${APPROVES[world.approver] || world.approver}`;
  touch ||= new Touch(view, (what) => sent('api/touch', what));
  touch.show(world.touchable, world.addable);
  const form = byId('world-form').elements;
  if (world.scene && document.activeElement?.form !== byId('world-form')) {
    for (const key of ['seed', ...WORLD]) form[key].value = world[key];
  }
  byId('task-form').querySelector('button').disabled = Boolean(running || stopped);
  byId('why-not').textContent = stopped ? 'The arm is stopped. Press "Allow motion again" first.'
    : running ? 'A task is running.' : '';
  const heard = JSON.stringify([status.talk, world.examples, running, stopped]);
  if (heard !== shown) {
    shown = heard;
    showTalk(status, (words, isExample) => {
      byId('task').value = words;
      if (isExample) byId('task').focus();
      else sent('api/task', { task: words });
    });
  }
  const [first] = world.things || [];
  byId('task').placeholder = first ? `for example: pick up the ${words(first)}`
    : 'what the arm should do';
  if ((question?.number || 0) === asked) return;
  asked = question?.number || 0;
  view.space?.planned(null);
  byId('question').replaceChildren(...(question ? [questionPanel(question, view)] : []));
  if (question) byId('question').querySelector('h2').focus();
}

function questionPanel(question, view) {
  const text = el('input', { id: 'wish', autocomplete: 'off',
    placeholder: question.kind === 'hint' ? 'push it nearer first' : 'without step 2, slower' });
  const give = (choice) => sent('api/answer', { question: question.number, choice,
    text: text.value });
  const button = (name, choice, kind) => el('button', { type: 'button', class: kind,
    onclick: () => give(choice) }, name);
  const until = question.ends_at === null ? 'when its time is over'
    : `at ${new Date(question.ends_at * 1000).toLocaleTimeString()}`;
  if (question.kind === 'hint') {
    return el('div', { class: 'ask' }, el('h2', { tabindex: -1 }, 'A person is needed'),
      el('p', {}, question.question), el('label', { for: 'wish' }, 'What should it know, or do?'),
      text, button('Give this hint', 'yes', 'yes'), button('End the task', 'no', 'no'),
      el('p', { class: 'faint' }, `Without an answer the task ends ${until}.`));
  }
  const risk = question.risk === null ? '' : `Risk ${number(question.risk, 2)}; a person is asked `
    + `from ${number(question.threshold, 2)} on.`;
  return el('div', { class: 'ask' }, el('div', { class: 'answers' },
    el('h2', { tabindex: -1 }, `Run plan ${question.plan.version}?`),
    button('Approve', 'yes', 'yes'), button('Deny', 'no', 'no'),
    el('label', { for: 'wish' }, 'or say what to change'), text, button('Change it', 'edit', '')),
  question.plan.reason && el('p', { class: 'why' }, question.plan.reason),
  risk && el('p', {}, risk), question.reasons.map((why) => el('p', {}, why)),
  question.changed?.length ? [el('h4', {}, 'Changed from the plan before'),
    changes(question.changed)] : '', planned(question, view),
  el('p', { class: 'faint' }, `Nothing moves before a yes. Without an answer it is denied ${until}.`));
}
