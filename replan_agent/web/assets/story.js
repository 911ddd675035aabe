// From the events of a run to what is shown at one moment of it.

import { words } from './dom.js';

export const STAGES = ['PERCEIVE', 'PLAN', 'APPROVE', 'EXECUTE', 'VERIFY'];
const STAGE_OF = {
  perceiving: 'PERCEIVE', planning: 'PLAN', rehearsing: 'PLAN', replanning: 'PLAN',
  approving: 'APPROVE', pending_approval: 'APPROVE', executing: 'EXECUTE',
  diagnosing: 'EXECUTE', local_planning: 'EXECUTE', human_required: 'APPROVE',
  verifying: 'VERIFY',
};

// The same words as in a report (record/what_helped.py).
const THEN = { retry: 'the same step again', recapture: 'a fresh look and the same step again',
  local: 'a way around it', replan: 'a new plan', human: 'a hint from a person',
  continue: 'going on', stop: 'the task ends' };

// The same words as at the console (domain/task_result.py, domain/local_planning.py).
const ENDS = { plan_complete: 'the plan is done', already_done: 'it was so already',
  replan_exhausted: 'no other plan is left', gave_up: 'the planner gave up',
  goal_not_met: 'the goal is not met', conflicting_goals: 'two goals exclude each other',
  unrecognized_prompt: 'the task was not understood',
  no_plan: 'there is no plan', vlm_transport: 'the model does not answer',
  budget_exhausted: 'a budget is spent', approval_denied: 'a plan was not approved',
  human_required: 'a person is needed', max_steps: 'too many steps',
  perception_lost: 'nothing is seen any more', node_lost: 'a part of the system does not answer',
  agent_lost: 'the agent does not answer',
  cancelled: 'the task was cancelled', stopped: 'the arm was stopped',
  internal_error: 'a bug in the agent' };
const DECISIONS = { SUCCESS: 'worked', CANCEL: 'given up', RETAIN: 'kept',
  EXPLORE: 'no gain: something else is tried', REVERT: 'no gain: undone' };

export const ending = (reason) => ENDS[reason] || words(reason);
export const decided = (decision) => DECISIONS[decision] || words(decision).toLowerCase();
const outcome = (result) => (result.success ? 'done'
  : result.reason === 'stopped' ? 'stopped' : 'failed');

function empty() {
  return { task: '', facts: {}, config: {}, state: '', stage: '', scene: null, plans: [],
    marks: {}, attempts: [], local: null, models: [], approvals: [], hints: [], warnings: [],
    goals: [], replans: 0, totalReplans: 0, steps: 0, phase: '', question: '', end: null,
    picture: '', wall: 0, robot: 0, held: null };
}

// Local planning numbers its own steps from 1, so the step itself says to which plan it belongs;
// a retry may have changed its arguments.
function mark(now, version, step, how) {
  const its = (same) => now.plans.findLast((plan) => plan.version === version
    && plan.steps.some((one) => one.step_number === step.step_number && same(one)));
  const args = JSON.stringify(step.args);
  const plan = its((one) => one.skill === step.skill && JSON.stringify(one.args) === args)
    || its((one) => one.skill === step.skill);
  if (plan) plan.status.set(step.step_number, how);
}

const READ = {
  task_started: (now, e) => Object.assign(now, { task: e.task, facts: e.facts || {},
    config: e.config || {}, planner: e.planner, perception: e.perception }),
  state_changed: (now, e) => {
    now.state = e.state;
    now.stage = STAGE_OF[e.state] || now.stage;
    if (e.state === 'planning' || e.state === 'perceiving') now.phase = '';
  },
  scene_perceived: (now, e) => { now.scene = e.scene; },
  goals_set: (now, e) => { now.goals = e.goals; now.goalWords = e.in_words; },
  plan_made: (now, e) => now.plans.push({ ...e.plan, changed: e.changed, how: 'made',
    seconds: e.duration_s, status: new Map(), at: now.index }),
  plan_adapted: (now, e) => now.plans.push({ ...e.plan, steps: e.to_run, how: 'adapted',
    reason: e.plan.adaptations?.at(-1)?.reason, status: new Map(), at: now.index }),
  plan_refused: (now, e) => now.plans.push({ ...e.plan, changed: e.changed, how: 'refused',
    problems: e.problems, status: new Map(), at: now.index }),
  approval_pending: (now, e) => { now.question = `plan ${e.plan_version} waits for a person`; },
  approval_decided: (now, e) => { now.approvals.push(e); now.question = ''; },
  human_asked: (now, e) => { now.question = e.question; },
  human_answered: (now, e) => { now.hints.push(e.hint); now.question = ''; },
  step_started: (now, e) => {
    now.steps += 1;
    now.phase = e.local_state ? `local planning: ${e.step.skill}` : '';
    mark(now, e.plan_version, e.step, 'running');
  },
  phase_started: (now, e) => { now.phase = `${e.skill}: ${words(e.phase)}`; },
  step_finished: (now, e) => {
    now.phase = '';
    mark(now, e.plan_version, e.step, outcome(e.result));
  },
  attempt_recorded: (now, e) => {
    now.attempts.push({ ...e.attempt, marks: e.marks || {}, at: now.index });
    now.marks = e.marks || {};
  },
  reflection_made: (now, e) => { now.attempts.at(-1).reflection = e.reflection; },
  policy_decided: (now, e) => {
    const then = THEN[e.response] || words(e.response);
    now.attempts.at(-1).response = e.why ? `${then}, because ${e.why}` : then;
  },
  local_planning_started: (now, e) => { now.local = { goal: e.goal, score: e.score, nodes: [],
    step: e.step }; },
  local_action_judged: (now, e) => now.local.nodes.push(e.node),
  local_planning_finished: (now, e) => { now.local = { ...now.local, goal: e.record.goal,
    nodes: e.record.nodes, solved: e.record.solved, detail: e.record.detail }; },
  model_called: (now, e) => now.models.push(e),
  guidance_given: (now, e) => now.warnings.push(`monitor: ${words(e.problem)}: ${e.guidance}`),
  step_skipped: (now, e) => now.warnings.push(`skipped: ${e.step.skill}: ${e.detail}`),
  replan_started: (now, e) => { now.replans = e.replans; now.totalReplans = e.total_replans; },
  warning_raised: (now, e) => now.warnings.push(e.message),
  internal_error: (now, e) => now.warnings.push(`a bug: ${e.error}`),
  goal_judged: (now, e) => { now.goals = e.goals; now.goalWords = e.in_words;
    now.verified = e.verified; },
  task_finished: (now, e) => { now.end = e; },
};

// What is known after the first `count` events.
export function told(events, count = events.length) {
  const now = empty();
  const start = events[0]?.robot_s ?? 0; // over ROS it is the time of day
  events.slice(0, count).forEach((event, index) => {
    now.index = index;
    now.wall = event.wall_s ?? now.wall;
    now.robot = (event.robot_s ?? start + now.robot) - start;
    const picture = event.picture;
    if (typeof picture === 'string' && picture) now.picture = picture;
    try {
      READ[event.event]?.(now, event);
    } catch { /* an event of another version: the others still tell the story */ }
  });
  return now;
}

export function sentence(event) {
  const text = { plan_made: () => `plan ${event.plan.version}`,
    state_changed: () => words(event.state),
    step_started: () => `${event.step.skill} starts`,
    phase_started: () => `${event.skill}: ${words(event.phase)}`,
    step_finished: () => `${event.step.skill} ${outcome(event.result)}`,
    attempt_recorded: () => `failed: ${words(event.attempt.reason)}`,
    approval_decided: () => `plan ${event.plan_version} `
      + `${event.approved ? 'approved' : 'denied'} by ${event.approver}`,
    replan_started: () => `replan ${event.total_replans}${event.reason ? `: ${event.reason}` : ''}`,
    task_finished: () => (event.success ? 'the task succeeded' : 'the task failed'),
  }[event.event];
  try {
    return text ? text() : words(event.event);
  } catch {
    return event.event;
  }
}
