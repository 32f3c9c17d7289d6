/** Time advances. */
import { type ModelState, newestClockMs, nextTimeMs } from '../state.ts';
import { type ModelStep, spend } from './step.ts';

const OUTAGE_MS = 2 * 3_600_000;

export function timeSteps(state: ModelState): readonly ModelStep[] {
  const nextMs = nextTimeMs(state);
  return [
    ...(state.remaining.steps > 0 ? [advanceTo(spend(state, 'steps'), nextMs)] : []),
    ...(state.remaining.clocks > 0 ? clockSteps(spend(state, 'clocks')) : []),
    ...(state.remaining.outages > 0 ? [advanceTo(spend(state, 'outages'), nextMs + OUTAGE_MS)] : []),
  ];
}

function advanceTo(state: ModelState, nowMs: number): ModelStep {
  return { description: `it is ${new Date(nowMs).toISOString().slice(11, 19)}`, state: { ...state, nowMs } };
}

const CLOCKS = [
  { description: 'the clock of the manager is right', aheadMs: 0 },
  { description: 'the clock of the manager is 90 s ahead', aheadMs: 90_000 },
  { description: 'the clock of the manager is 90 s behind', aheadMs: -90_000 },
];

/** A wake-up comes at its time on either clock, whichever is first: the runtime detects a clock that is set forward. */
function clockSteps(state: ModelState): readonly ModelStep[] {
  const { wakeAtMs } = state;
  return CLOCKS.filter(({ aheadMs }) => aheadMs !== state.aheadMs).map(({ description, aheadMs }) => {
    const forwardMs = Math.max(0, aheadMs - state.aheadMs);
    const wakes = wakeAtMs !== undefined && { wakeAtMs: Math.max(state.nowMs, wakeAtMs - forwardMs) };
    return {
      description,
      state: { ...state, ...wakes, aheadMs, wasClockSet: true, newestClockMs: newestClockMs(state) },
    };
  });
}
