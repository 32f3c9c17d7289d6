/** Passes of the manager, and the outcomes of their calls. */
import type { Budget } from '../budget.ts';
import { fingerprint } from '../fingerprint.ts';
import { checkQuiet } from '../laws/quiet.ts';
import { checkStatus } from '../laws/status.ts';
import { type PassResult, runPass } from '../pass.ts';
import type { CallOutcome } from '../recording.ts';
import { isPassDue, isQuiet, type ModelState, nextTimeMs } from '../state.ts';
import { restartProcess } from './processes.ts';
import { type ModelStep, spend } from './step.ts';

export async function passSteps(state: ModelState): Promise<readonly ModelStep[]> {
  if (!isPassDue(state)) return isQuiet(state) ? restSteps(state) : [];
  const from = wakeUp(state);
  const steps = await explorePasses(from, [], false);
  const [first] = steps;
  if (first && isPassDue(first.state) && fingerprint(first.state) === fingerprint(state))
    return [{ ...first, faults: ['passes never end: this one changes nothing, and another one is due'] }];
  return state.remaining.crowds > 0 ? [...steps, ...(await explorePasses(spend(from, 'crowds'), [], true))] : steps;
}

/** A wake-up that is so far away that any other step can happen first. */
const LONG_MS = 1000;

function wakeUp(state: ModelState): ModelState {
  const { wakeAtMs, nowMs, isQueued, hasRetry } = state;
  if (wakeAtMs === undefined || wakeAtMs >= nextTimeMs(state)) return state;
  if (wakeAtMs <= nowMs + LONG_MS) return { ...state, wakeAtMs: undefined };
  return isQueued || hasRetry ? state : { ...state, nowMs: wakeAtMs, wakeAtMs: undefined };
}

/** The pass with this script, and its variants with a fault in one of the later calls. */
async function explorePasses(
  state: ModelState,
  script: readonly CallOutcome[],
  isCrowded: boolean,
): Promise<readonly ModelStep[]> {
  const result = await runPass(state, script, isCrowded);
  const steps = [passStep(result, isCrowded)];
  if (result.hasDied) return steps;
  for (let index = script.length; index < result.calls.length; index++) {
    for (const outcome of listOutcomes(result.calls[index] ?? '', state.remaining)) {
      const extendedScript = [
        ...script,
        ...Array.from({ length: index - script.length }, () => 'ok' as const),
        outcome,
      ];
      steps.push(...(await explorePasses(spend(state, COSTS[outcome]), extendedScript, isCrowded)));
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

function passStep({ state, calls, hasDied, faults }: PassResult, isCrowded: boolean): ModelStep {
  const description = `pass${isCrowded ? ' while others wait' : ''}: ${calls.join(', ') || 'no calls'}`;
  const allFaults = [...faults, ...checkStatus(state)];
  return hasDied
    ? { description: `${description}; another process starts`, state: restartProcess(state), faults: allFaults }
    : { description, state, faults: allFaults };
}

/** At rest each slot has a run or a reason, and another pass does nothing. */
async function restSteps(state: ModelState): Promise<readonly ModelStep[]> {
  const faults = [...checkQuiet(state)];
  const repeated = await runPass(state, [], false);
  // The manager checks these again after minutes.
  if (!state.hasPendingDelete && !showsClockSkew(state)) {
    if (repeated.writes > 0) faults.push(`at rest, another pass makes calls: ${repeated.calls.join(', ')}`);
    if (repeated.events.length > 0) faults.push(`at rest, another pass records events: ${repeated.events.join('; ')}`);
  }
  return faults.length === 0 ? [] : [{ description: 'rest', state, faults }];
}

function showsClockSkew({ cronJob }: ModelState): boolean {
  return cronJob?.status?.conditions?.some(({ reason }) => reason === 'ClockSkew') === true;
}
