/** Reconciles of the manager, and the outcomes of their calls. */
import type { Budget } from '../budget.ts';
import { fingerprint } from '../fingerprint.ts';
import { checkQuiet } from '../laws/quiet.ts';
import { checkQuietRequest, checkRequestStatus } from '../laws/requested.ts';
import { checkStatus } from '../laws/status.ts';
import { type ReconcileOptions, type ReconcileResult, runReconcile } from '../reconcile.ts';
import type { CallOutcome } from '../recording.ts';
import { isQuiet, isReconcileDue, isRequestReconcileDue, type ModelState, nextTimeMs } from '../state.ts';
import { restartProcess } from './processes.ts';
import { type ModelStep, spend } from './step.ts';

export async function reconcileSteps(state: ModelState): Promise<readonly ModelStep[]> {
  return [
    ...(isQuiet(state) ? await restSteps(state) : []),
    ...(isReconcileDue(state) ? await cronJobReconciles(state) : []),
    ...(isRequestReconcileDue(state) ? await requestReconciles(state) : []),
  ];
}

const ENDLESS = 'reconciles never end: this one changes nothing, and another one is due';

async function cronJobReconciles(state: ModelState): Promise<readonly ModelStep[]> {
  const from = wakeUp(state);
  const steps = await exploreReconciles(from, { controller: 'cronjob' });
  const [first] = steps;
  if (first && isReconcileDue(first.state) && fingerprint(first.state) === fingerprint(state))
    return [{ ...first, faults: [ENDLESS] }];
  if (state.remaining.crowds === 0) return steps;
  return [...steps, ...(await exploreReconciles(spend(from, 'crowds'), { controller: 'cronjob', isCrowded: true }))];
}

async function requestReconciles(state: ModelState): Promise<readonly ModelStep[]> {
  const steps = await exploreReconciles(state, { controller: 'cronjobrun' });
  const [first] = steps;
  const isEndless = first && isRequestReconcileDue(first.state) && fingerprint(first.state) === fingerprint(state);
  // A refused start is retried for an hour, for example until the Job of an earlier CronJob is gone.
  const isRetry = state.request.stored?.status?.failedStart !== undefined;
  return isEndless && !isRetry ? [{ ...first, faults: [ENDLESS] }] : steps;
}

/** A wake-up that is so far away that any other step can happen first. */
const LONG_MS = 1000;

function wakeUp(state: ModelState): ModelState {
  const { wakeAtMs, nowMs, isQueued, hasRetry } = state;
  if (wakeAtMs === undefined || wakeAtMs >= nextTimeMs(state)) return state;
  if (wakeAtMs <= nowMs + LONG_MS) return { ...state, wakeAtMs: undefined };
  return isQueued || hasRetry ? state : { ...state, nowMs: wakeAtMs, wakeAtMs: undefined };
}

/** The reconcile with this script, and its variants with a fault in one of the later calls. */
async function exploreReconciles(state: ModelState, options: ReconcileOptions): Promise<readonly ModelStep[]> {
  const { script = [] } = options;
  const result = await runReconcile(state, options);
  const steps = [createReconcileStep(result, options)];
  if (result.hasDied) return steps;
  for (let index = script.length; index < result.calls.length; index++) {
    for (const outcome of listOutcomes(result.calls[index] ?? '', state.remaining)) {
      const extendedScript = [
        ...script,
        ...Array.from({ length: index - script.length }, () => 'ok' as const),
        outcome,
      ];
      steps.push(...(await exploreReconciles(spend(state, COSTS[outcome]), { ...options, script: extendedScript })));
    }
  }
  return steps;
}

const COSTS = {
  ok: 'faults', // never chosen
  lost: 'faults',
  refused: 'faults',
  unanswered: 'faults',
  'dies before': 'crashes',
  'dies after': 'crashes',
  'is overtaken': 'handOvers',
} as const satisfies Readonly<Record<CallOutcome, keyof Budget>>;

/** The possible faults of a call. A read changes nothing, so a crash before it equals a crash before the next write. */
function listOutcomes(call: string, { faults, crashes, handOvers }: Budget): readonly CallOutcome[] {
  const isRead = call.startsWith('get') || call.startsWith('list');
  const isRefusable = call.startsWith('create') || call.startsWith('delete');
  return [
    ...(faults > 0 ? (['lost'] as const) : []),
    ...(faults > 0 && isRefusable ? (['refused'] as const) : []),
    ...(faults > 0 && !isRead ? (['unanswered'] as const) : []),
    ...(crashes > 0 && !isRead ? (['dies before', 'dies after'] as const) : []),
    ...(handOvers > 0 && !isRead ? (['is overtaken'] as const) : []),
  ];
}

function createReconcileStep(
  { state, calls, hasDied, faults }: ReconcileResult,
  { controller, isCrowded }: ReconcileOptions,
): ModelStep {
  const object = controller === 'cronjob' ? '' : ' over the CronJobRun';
  const description = `reconcile${object}${isCrowded ? ' while others wait' : ''}: ${calls.join(', ') || 'no calls'}`;
  const allFaults = [...faults, ...checkStatus(state), ...checkRequestStatus(state)];
  return hasDied
    ? { description: `${description}; another process starts`, state: restartProcess(state), faults: allFaults }
    : { description, state, faults: allFaults };
}

/** At rest each slot has a run or a reason, and another reconcile does nothing. */
async function restSteps(state: ModelState): Promise<readonly ModelStep[]> {
  const faults = [...checkQuiet(state), ...checkQuietRequest(state)];
  const repeats = [await runReconcile(state, { controller: 'cronjob' })];
  if (state.scenario.request !== undefined) repeats.push(await runReconcile(state, { controller: 'cronjobrun' }));
  // The manager checks these again after minutes.
  if (!state.hasPendingDelete && !showsClockSkew(state))
    for (const { writes, calls, events } of repeats) {
      if (writes > 0) faults.push(`at rest, another reconcile makes calls: ${calls.join(', ')}`);
      if (events.length > 0) faults.push(`at rest, another reconcile records events: ${events.join('; ')}`);
    }
  return faults.length === 0 ? [] : [{ description: 'rest', state, faults }];
}

function showsClockSkew({ cronJob }: ModelState): boolean {
  return cronJob?.status?.conditions?.some(({ reason }) => reason === 'ClockSkew') === true;
}
