/** Everything that can happen next in a state. */
import type { Job } from '../../api/kubernetes.ts';
import { quietFaults, statusFaults, unprovableAfterCrash } from './laws.ts';
import { type CallOutcome, type PassResult, runPass } from './pass.ts';
import {
  type Budget,
  edit,
  finishJob,
  isAccountedFor,
  isFinished,
  isPassDue,
  isQuiet,
  nextTimeMs,
  removeJob,
  type State,
  slotOf,
  union,
} from './state.ts';

/** What happened, as text, and the state that it leads to. */
export interface Step {
  readonly what: string;
  readonly state: State;
  /** The laws that it breaks. */
  readonly faults: readonly string[];
}

export async function stepsFrom(state: State): Promise<readonly Step[]> {
  return [
    ...(await passes(state)),
    ...deliveries(state),
    ...timeMoves(state),
    ...jobChanges(state),
    ...edits(state),
    ...restarts(state),
  ];
}

function spend(state: State, kind: keyof Budget): State {
  return { ...state, left: { ...state.left, [kind]: state.left[kind] - 1 } };
}

/** The faults of a call, where it may have them. A read cannot be refused half-way. */
function outcomesOf(call: string, { faults, crashes }: Budget): readonly CallOutcome[] {
  const isRead = call.startsWith('get');
  const isRefusable = call.startsWith('create') || call.startsWith('delete');
  return [
    ...(faults > 0 ? (['lost'] as const) : []),
    ...(faults > 0 && isRefusable ? (['refused'] as const) : []),
    ...(faults > 0 && !isRead ? (['unanswered'] as const) : []),
    ...(crashes > 0 && !isRead ? (['dies before', 'dies after'] as const) : []),
  ];
}

async function passes(state: State): Promise<readonly Step[]> {
  if (!isPassDue(state)) return isQuiet(state) ? restFaults(state) : [];
  const isWoken = (state.wakeAtMs ?? Number.POSITIVE_INFINITY) < nextTimeMs(state);
  const from = isWoken ? { ...state, wakeAtMs: undefined } : state;
  const steps = await passesOf(from, [], false);
  return state.left.crowds > 0 ? [...steps, ...(await passesOf(spend(from, 'crowds'), [], true))] : steps;
}

/** The pass with this script, and those in which one of the later calls has a fault as well. */
async function passesOf(state: State, script: readonly CallOutcome[], isCrowded: boolean): Promise<readonly Step[]> {
  const result = await runPass(state, script, isCrowded);
  const steps = [passStep(result, isCrowded)];
  if (result.hasDied) return steps;
  for (let index = script.length; index < result.calls.length; index++) {
    for (const outcome of outcomesOf(result.calls[index] ?? '', state.left)) {
      const kind = outcome.startsWith('dies') ? 'crashes' : 'faults';
      const longer = [...script, ...Array.from({ length: index - script.length }, () => 'ok' as const), outcome];
      steps.push(...(await passesOf(spend(state, kind), longer, isCrowded)));
    }
  }
  return steps;
}

function passStep({ state, calls, hasDied, faults }: PassResult, isCrowded: boolean): Step {
  const what = `pass${isCrowded ? ' while others wait' : ''}: ${calls.join(', ') || 'no calls'}`;
  const broken = [...faults, ...statusFaults(state)];
  return hasDied
    ? { what: `${what}; the process dies`, state: restarted(state), faults: broken }
    : { what, state, faults: broken };
}

/** At rest each slot is explained, and one more pass finds nothing to do. */
async function restFaults(state: State): Promise<readonly Step[]> {
  const faults = [...quietFaults(state)];
  const again = await runPass(state, [], false);
  if (state.owesDelete) return faults.length === 0 ? [] : [{ what: 'rest', state, faults }];
  if (again.writes > 0) faults.push(`at rest, one more pass makes calls: ${again.calls.join(', ')}`);
  if (again.events.length > 0) faults.push(`at rest, one more pass has events: ${again.events.join('; ')}`);
  return faults.length === 0 ? [] : [{ what: 'rest', state, faults }];
}

function deliveries(state: State): readonly Step[] {
  const steps: Step[] = [];
  const [cronJob, ...laterCronJobs] = state.cronJobEvents;
  if (cronJob) {
    const isNews = cronJob.metadata.generation !== state.cachedCronJob.metadata.generation;
    const isCaughtUp = Number(cronJob.metadata.resourceVersion) >= Number(state.written?.metadata.resourceVersion ?? 0);
    steps.push({
      what: 'the cache gets a version of the CronJob',
      faults: [],
      state: {
        ...state,
        cachedCronJob: cronJob,
        cronJobEvents: laterCronJobs,
        written: isCaughtUp ? undefined : state.written,
        isUnsure: state.isUnsure && laterCronJobs.length > 0,
        isQueued: state.isQueued || isNews,
      },
    });
  }
  const [event, ...laterJobs] = state.jobEvents;
  if (event) {
    const others = state.cachedJobs.filter(({ metadata }) => metadata.uid !== event.job.metadata.uid);
    const cachedJobs = event.isDeleted ? others : [...others, event.job];
    steps.push({
      what: `the cache hears of ${event.job.metadata.name}${event.isDeleted ? ' that it is gone' : ''}`,
      faults: [],
      state: { ...state, cachedJobs, jobEvents: laterJobs, isQueued: true },
    });
  }
  return steps;
}

function timeMoves(state: State): readonly Step[] {
  if (state.left.slots === 0) return [];
  const nowMs = nextTimeMs(state);
  const moved = { ...spend(state, 'slots'), nowMs };
  return [{ what: `it is ${new Date(nowMs).toISOString().slice(11, 19)}`, state: moved, faults: [] }];
}

function jobChanges(state: State): readonly Step[] {
  return state.jobs.flatMap((job) => [...endings(state, job), ...deletions(state, job)]);
}

function endings(state: State, job: Job): readonly Step[] {
  if (state.left.finishes === 0 || isFinished(job)) return [];
  return (['Succeeded', 'Failed'] as const).map((result) => ({
    what: `${job.metadata.name} has ${result.toLowerCase()}`,
    state: finishJob(spend(state, 'finishes'), job, result),
    faults: [],
  }));
}

function deletions(state: State, job: Job): readonly Step[] {
  if (state.left.deletions === 0) return [];
  const { name } = job.metadata;
  const isUnknown = !state.known.includes(name) && !isAccountedFor(state, slotOf(job));
  const removed = removeJob(spend(state, 'deletions'), job);
  const unprovable = isUnknown ? union(state.unprovable, [name]) : state.unprovable;
  return [{ what: `somebody deletes ${name}`, state: { ...removed, unprovable }, faults: [] }];
}

function edits(state: State): readonly Step[] {
  if (state.left.edits === 0) return [];
  const { suspend } = state.cronJob.spec;
  return [
    {
      what: suspend ? 'it is resumed' : 'it is suspended',
      state: edit(spend(state, 'edits'), { suspend: !suspend }),
      faults: [],
    },
  ];
}

function restarts(state: State): readonly Step[] {
  if (state.left.crashes === 0) return [];
  return [{ what: 'the process dies between passes', state: restarted(spend(state, 'crashes')), faults: [] }];
}

/** Another process begins with what the API server holds. */
function restarted(state: State): State {
  return {
    ...state,
    cachedCronJob: state.cronJob,
    cachedJobs: state.jobs,
    cronJobEvents: [],
    jobEvents: [],
    written: undefined,
    isUnsure: false,
    memory: undefined,
    isQueued: true,
    hasRetry: false,
    owesDelete: false,
    wakeAtMs: undefined,
    unprovable: union(state.unprovable, unprovableAfterCrash(state)),
    known: [],
  };
}
