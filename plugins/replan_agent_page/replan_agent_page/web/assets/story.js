// From the events of a run to what is shown at one moment of it.

function empty() {
  return { task: '', config: {}, doing: '', stage: '', scene: null, plans: [],
    marks: {}, been: new Set(), attempts: [], local: null, models: [], approvals: [], hints: [], warnings: [],
    goals: [], replans: 0, totalReplans: 0, steps: 0, stepsEnded: 0, phase: '', end: null,
    picture: '', wall: 0, robot: 0 };
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
  task_started: (now, e) => Object.assign(now, { task: e.task, config: e.config || {} }),
  state_changed: (now, e) => {
    now.doing = e.label;
    now.stage = e.stage || now.stage;
    now.been.add(now.stage);
    if (e.state === 'planning' || e.state === 'perceiving') now.phase = '';
  },
  scene_perceived: (now, e) => { now.scene = e.scene; },
  goals_set: (now, e) => { now.goals = e.goals; now.goalWords = e.in_words; },
  plan_made: (now, e) => now.plans.push({ ...e.plan, understood: e.understood, changed: e.changed, how: 'made',
    status: new Map(), at: now.index }),
  plan_adapted: (now, e) => now.plans.push({ ...e.plan, steps: e.to_run, how: 'adapted',
    reason: e.plan.adaptations?.at(-1)?.reason, status: new Map(), at: now.index }),
  plan_refused: (now, e) => now.plans.push({ ...e.plan, how: 'refused', problems: e.problems,
    status: new Map(), at: now.index }),
  approval_decided: (now, e) => now.approvals.push(e),
  human_answered: (now, e) => now.hints.push(e.hint),
  step_started: (now, e) => {
    now.steps += 1;
    now.phase = '';
    mark(now, e.plan_version, e.step, 'running');
  },
  phase_started: (now, e) => { now.phase = e.label; },
  step_finished: (now, e) => {
    now.phase = '';
    now.stepsEnded += 1;
    mark(now, e.plan_version, e.step, e.outcome);
  },
  attempt_recorded: (now, e) => {
    now.attempts.push({ ...e.attempt, marks: e.marks || {}, about: e.about,
      diagnosed: e.diagnosed, at: now.index });
    now.marks = e.marks || {};
  },
  reflection_made: (now, e) => { now.attempts.at(-1).reflection = e.reflection; },
  policy_decided: (now, e) => { now.attempts.at(-1).response = e.said.join('; '); },
  local_planning_started: (now, e) => { now.local = { goal: e.goal, nodes: [], step: e.step }; },
  local_action_judged: (now, e) => now.local.nodes.push(e.node),
  local_planning_finished: (now, e) => { now.local = { ...now.local, goal: e.record.goal,
    nodes: e.record.nodes, solved: e.record.solved, detail: e.record.detail }; },
  model_called: (now, e) => now.models.push(e),
  guidance_given: (now, e) => now.warnings.push(...e.said),
  step_skipped: (now, e) => now.warnings.push(...e.said),
  replan_started: (now, e) => { now.replans = e.replans; now.totalReplans = e.total_replans; },
  warning_raised: (now, e) => now.warnings.push(...e.said),
  internal_error: (now, e) => now.warnings.push(...e.said),
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
