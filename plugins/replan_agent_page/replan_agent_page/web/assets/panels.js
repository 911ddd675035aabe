// One run at one moment: picture, stages, plans, failures, budgets. The same live and replayed.

import { call, el, number, shown, words } from './dom.js';
import { map, overlay } from './draw.js';
import { canDraw, Space } from './space.js';

const STOPS = ['stopped', 'cancelled'];
const VIEW = 'replan_agent view'; // in 3D, or the camera's picture
const LAYERS = [['perceived', true], ['forces', true], ['limits', true], ['grasps', false],
  ['follow_the_hand', false]]; // and whether they are seen at first
const STAGES = ['PERCEIVE', 'PLAN', 'APPROVE', 'EXECUTE', 'VERIFY'];
const SIGNS = { '-': 'removed', '+': 'added', '~': 'changed' };

export class RunView {
  constructor(root) {
    this.image = el('img', { alt: 'what the camera sees', hidden: true });
    this.noImage = el('p', { class: 'faint' });
    this.parts = Object.fromEntries(['verdict', 'stages', 'overlay', 'map', 'budgets', 'plans',
      'attempts', 'local', 'people', 'models'].map((name) => [name, el('div', { class: name })]));
    const { verdict, stages, map: seen, budgets, plans, attempts, local, people, models } = this.parts;
    this.open = new Set();
    root.replaceChildren(this.columns = el('div', { class: 'columns' },
      this.seen = el('div', { class: 'seen' }, this.chooser = this.views(),
        this.solid = el('figure', { class: 'space' }), this.legend = el('p', { class: 'legend' }),
        this.flat = el('figure', { class: 'picture' }, this.image, this.parts.overlay),
        this.noImage, this.above = el('figure', { class: 'map' }, seen,
          el('figcaption', {}, 'From above: what the arm has seen, and how far it reaches'))),
      this.side = el('div', { class: 'side' }, verdict, stages, plans, attempts, local, people,
        models, budgets)));
  }

  // What a person may choose where the browser can draw: which view, and what is in it.
  views() {
    const isFlat = localStorage.getItem(VIEW) === 'camera';
    const layer = ([name, is]) => el('label', { class: 'layer' }, el('input', { type: 'checkbox',
      name, checked: is, onchange: () => this.choose() }), words(name));
    const radio = (name, value, is) => el('label', {}, el('input', { type: 'radio', name: 'view',
      value, checked: is, onchange: () => { localStorage.setItem(VIEW, value); this.choose(); } }),
    name);
    return el('form', { class: 'views', 'aria-label': 'View', hidden: true },
      radio('3D', 'space', !isFlat), radio('Camera', 'camera', isFlat),
      LAYERS.map(layer));
  }

  get isSpace() { return Boolean(this.space) && this.chooser.elements.view.value === 'space'; }

  choose() {
    this.chooser.hidden = !this.space;
    this.solid.hidden = !this.isSpace;
    this.legend.hidden = !this.isSpace;
    this.flat.hidden = this.isSpace;
    const layers = [...this.chooser.querySelectorAll('.layer')];
    layers.forEach((one) => { one.hidden = !this.isSpace; });
    const chosen = Object.fromEntries(layers.map(({ firstChild: { name, checked } }) =>
      [name, checked]));
    if (this.space) {
      this.space.follow = chosen.follow_the_hand;
      this.space.layers(chosen);
      if (chosen.grasps) this.askGrasps?.();
    }
    if (this.now) this.show(this.now, this.camera, this.why);
  }

  // What a person may drag in 3D, and what is called then.
  handsOn(hands) {
    this.hands = hands;
    if (this.space) Object.assign(this.space, hands);
  }

  // The solids of a world; null: none are known, so there are pictures.
  world(solids) {
    if (solids && canDraw) {
      this.space ||= new Space(this.solid);
      Object.assign(this.space, this.hands).world(solids);
      this.legend.replaceChildren(...[['true', solids.is_true === false
        ? 'the arm, as its joints were' : 'true in the simulation'], ['seen', 'perceived'],
      ['touch', 'touches, and their force'], ['reach', 'reach, and the camera'],
      ...(this.hands || solids.is_true === undefined ? [['plan', 'planned']] : [])].map(
        ([kind, text]) => el('span', { class: `key-${kind}` }, text)));
    } else {
      this.space?.free();
      this.space = null;
    }
    this.choose();
    this.onSpace?.();
  }

  // Shows a picture as soon as it is decoded; frees the one before it.
  async picture(url) {
    const before = this.image.src;
    this.image.src = url;
    this.image.hidden = false;
    await this.image.decode().catch(() => {});
    if (before.startsWith('blob:')) URL.revokeObjectURL(before);
  }

  show(now, camera, why = '') {
    Object.assign(this, { now, camera, why });
    this.space?.show(now, camera);
    if (now.stepsEnded !== this.stepsEnded && this.space?.ways.visible) this.askGrasps?.();
    this.stepsEnded = now.stepsEnded;
    this.noImage.textContent = this.image.hidden && !this.isSpace ? why : '';
    this.fill('verdict', () => verdict(now));
    this.fill('stages', () => [stages(now)]);
    this.above.hidden = !now.scene || this.isSpace;
    this.fill('map', () => (now.scene ? [map(now)] : []));
    this.fill('overlay', () => (camera?.projection && !this.image.hidden
      ? [overlay(now, camera)] : []));
    this.fill('budgets', () => [budgets(now)]);
    this.fill('plans', () => (now.plans.length ? [el('h3', {}, 'Plans'),
      ...now.plans.toReversed().map((plan, k) => this.plan(plan, k === 0))] : []));
    this.fill('attempts', () => (now.attempts.length ? [el('h3', {}, 'Failures'),
      ...now.attempts.toReversed().map((one, k) => this.attempt(one, k === 0))] : []));
    this.fill('local', () => (now.local ? [this.local(now.local)] : []));
    this.fill('people', () => people(now));
    this.fill('models', () => (now.models.length ? [el('h3', {}, 'Model calls'),
      ...now.models.map((one, k) => this.model(one, k))] : []));
  }

  // What a record of another version, or a broken one, does not have leaves out one part only.
  fill(name, make) {
    let content;
    try {
      content = make();
    } catch {
      content = [el('p', { class: 'warn' }, `${name}: this part of the record cannot be read`)];
    }
    replaced(this.parts[name], content);
  }

  // A <details> that stays as the person left it.
  details(key, openFirst, summary, ...content) {
    const open = this.open.has(key) !== openFirst;
    return el('details', { open, 'data-key': key, ontoggle: (event) => {
      if (event.target.open !== openFirst) this.open.add(key); else this.open.delete(key);
    } }, el('summary', {}, summary), ...content);
  }

  plan(plan, isLast) {
    const why = [plan.how === 'made' ? '' : plan.how, plan.cause === 'initial' ? '' : plan.cause]
      .filter(Boolean).join(', ');
    return this.details(`plan ${plan.at}`, isLast, plan.how === 'adapted'
      ? `Plan ${plan.version}: more steps by local planning`
      : `Plan ${plan.version} by ${plan.planner}${why ? ` (${why})` : ''}`,
      plan.reason && el('p', { class: 'why' }, plan.reason),
      el('ol', { class: 'steps' }, plan.steps.map((step) => {
        const how = plan.status.get(step.step_number);
        return el('li', { class: how, 'aria-current': how === 'running' ? 'step' : undefined },
          el('code', {}, call(step)), how && el('span', { class: 'how' }, how),
          step.description && el('span', { class: 'faint' }, step.description));
      })),
      (plan.problems || []).map((problem) => el('p', { class: 'bad' }, problem)),
      plan.changed && changes(plan.changed));
  }

  attempt(one, isLast) {
    const { diagnosis, reflection, ik } = one;
    const row = (name, value) => value && el('div', {}, el('dt', {}, name), el('dd', {}, value));
    const { tried, ...evidence } = one.evidence || {};
    return this.details(`attempt ${one.at}`, isLast,
      `${one.skill ? call(one) : one.about || words(one.stage)}: ${words(one.reason)}`,
      el('p', { class: 'bad' }, one.reason_detail),
      el('dl', {},
        row('Cause', words(diagnosis?.cause || one.cause || '')), row('Blocked by', one.blockers?.join(', ')),
        row('Diagnosis', one.diagnosed), row('What would help', diagnosis?.remedy), row('Why', reflection?.root_cause),
        row('Then', one.response),
        ik && row('IK', `${ik.converged ? 'converged' : 'not converged'} after ${ik.iterations} `
          + `iterations, ${number(ik.pos_err, 4)} m and ${number(ik.rot_err, 4)} rad off `
          + `(allowed ${ik.pos_tol} m, ${ik.rot_tol} rad); ${words(ik.reachability)}`
          + `${ik.limiting_joint ? `, limited by ${ik.limiting_joint}` : ''}`),
        one.marks?.target && row('Failed target', shown(one.marks.target) + ' m'),
        one.marks?.nearest && row('Nearest reachable', shown(one.marks.nearest) + ' m'),
        Object.entries(evidence).map(([key, value]) => row(words(key),
          shown(value)))),
      tried?.length && [el('h4', {}, `Grasp candidates (${tried.length})`),
        el('ul', { class: 'tried' }, counted(tried.map(shown)).map((text) => el('li', {}, text)))]);
  }

  local(local) {
    return el('div', {}, el('h3', {}, 'Local planning'),
      el('p', {}, `around ${local.step ? call(local.step) : 'a step'}: ${local.goal}`),
      el('ol', { class: 'tree' }, local.nodes.map((node) => el('li', {
        class: `${node.decision.toLowerCase()} deep${Math.min(node.number.split('.').length, 6)}`,
      }, el('strong', {}, `${node.number} ${node.option.name}`),
      el('span', { class: 'how' }, node.decided),
      ` ${number(node.goal_score_before, 1)} → ${number(node.goal_score_after, 1)} of 10`
        + `${node.reverted ? ', undone' : ''}`,
      el('span', { class: 'faint' }, node.detail || node.option.why)))),
      local.detail && el('p', { class: local.solved ? 'good' : 'bad' }, local.detail));
  }

  model(one, k) {
    return this.details(`model ${k}`, false,
      `${k + 1}. ${one.model || 'model'}${one.error ? ': failed' : ''}`,
      (one.messages || []).map((message) => [el('h4', {}, message.role),
        el('pre', {}, message.content.map((part) => (part.type === 'text' ? part.text
          : `[picture, ${part.bytes} bytes]`)).join('\n'))]),
      el('h4', {}, 'reply'), el('pre', {}, one.error || JSON.stringify(one.reply, null, 1)));
  }
}

// The texts without repetitions: 'a', 'b (3 times)'.
function counted(texts) {
  const times = new Map();
  for (const text of texts) times.set(text, (times.get(text) || 0) + 1);
  return [...times].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
}

// Puts the content in place. What is the same stays, with its scroll bar, selection and focus.
function replaced(part, content) {
  const focused = part.contains(document.activeElement)
    && document.activeElement.closest('[data-key]')?.dataset.key;
  const old = [...part.childNodes];
  const wanted = content.map((node) => {
    const k = old.findIndex((one) => one.isEqualNode(node));
    return k < 0 ? node : old.splice(k, 1)[0];
  });
  old.forEach((node) => node.remove());
  wanted.forEach((node, k) => {
    if (part.childNodes[k] !== node) part.insertBefore(node, part.childNodes[k] || null);
  });
  if (focused && !part.contains(document.activeElement)) {
    [...part.querySelectorAll('[data-key]')].find((one) => one.dataset.key === focused)
      ?.querySelector('summary').focus();
  }
}

const failure = (why) => (why.startsWith('stopped: ') ? `S${why.slice(1)}` : `Failed: ${why}`);

function verdict(now) {
  if (!now.task) return [];
  const { end } = now;
  const why = end?.why || end?.final_detail; // runs of earlier versions have no `why`
  const met = now.verified && now.goalWords?.length ? now.goalWords.join('; ') : '';
  const told = !end ? [] : end.success
    ? [el('p', { class: 'good', role: 'status' },
      `Succeeded: ${met || end.final_detail || end.ended}`)]
    : [el('p', { class: 'bad', role: 'status' }, failure(why || end.ended)),
      end.would_help && el('p', { class: 'why' }, `Would help: ${end.would_help}`),
      el('p', { class: 'faint' }, `It ended because: ${end.ended}`),
      !String(end.final_detail).includes(why) && el('p', { class: 'faint' }, `Detail: ${end.final_detail}`)];
  const understood = now.plans.at(-1)?.understood;
  return [el('h2', {}, now.task), understood && !end
    && el('p', { class: 'faint' }, `I understood: ${understood}`), ...told, ...now.warnings.map((text) => el('p', { class: 'warn' },
    text))].filter(Boolean);
}

function stages(now) {
  return el('ol', { class: 'stagebar', 'aria-label': 'Stages' }, STAGES.map((stage) => {
    const isLast = stage === now.stage;
    const current = !now.end && isLast;
    const isLost = !now.end?.success && (isLast || (stage === 'EXECUTE' && now.attempts.length));
    const how = current || !now.been.has(stage) ? '' : isLost ? '✗' : '✓';
    return el('li', { 'aria-current': current ? 'step' : undefined,
      class: { '✓': 'ticked', '✗': 'crossed' }[how] }, `${how} ${stage}`.trim(),
    current && el('small', {}, now.phase || now.doing));
  }));
}

function budgets(now) {
  const { config } = now;
  const left = [['replans', now.replans, config.max_replans],
    ['all new plans', now.totalReplans, config.max_total_replans],
    ['steps', now.steps, config.max_steps],
    ['model calls', now.models.length, config.max_api_calls]].filter(([, , most]) => most);
  const seconds = `${number(now.wall, 1)} s, ${number(now.robot, 1)} s of the arm`;
  return el('ul', { class: 'budget', 'aria-label': 'Budgets' },
    left.map(([name, used, most]) => el('li', {}, `${name} ${used} of ${most}`)),
    now.task && el('li', {}, seconds), now.goals.length ? el('li', {},
      `goal: ${now.goalWords.join('; ')}${now.verified === true ? ' — met' : ''}`
      + `${now.verified === false ? ' — not met' : ''}`) : null);
}

function people(now) {
  const decided = now.approvals.filter((one) => one.said.length)
    .map((one) => el('li', {}, one.said.join('; ')));
  const people = (now.people || []).filter((one) => !String(one.did).startsWith('approve'));
  const known = [...now.approvals.map((one) => one.edit), ...people.map((one) => one.what)];
  const hints = now.hints.filter((hint) => !known.includes(hint))
    .map((hint) => el('li', {}, `hint: ${hint}`));
  if (STOPS.includes(now.end?.final_reason) && !people.some((one) => one.did === 'stop')) {
    hints.push(el('li', {}, now.end.final_detail));
  }
  const lines = people.map((one) => el('li', {}, `${one.who}: ${one.did}`
    + `${one.what ? `: ${one.what}` : ''}`));
  return decided.length + hints.length + lines.length
    ? [el('h3', {}, 'People'), el('ul', {}, decided, hints, lines)] : [];
}

// What changed between two plans, with a colour for each sign.
export const changes = (lines) => el('ul', { class: 'diff', 'aria-label': 'What changed' },
  lines.map((line) => el('li', { class: SIGNS[line[0]] }, line)));
