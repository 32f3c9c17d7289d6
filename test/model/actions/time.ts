/** Time advances. */
import { newestClockMs, nextTimeMs, type State } from '../state.ts';
import { type Step, spend } from './step.ts';

const OUTAGE_MS = 2 * 3_600_000;

export function timeSteps(state: State): readonly Step[] {
  const nextMs = nextTimeMs(state);
  return [
    ...(state.left.steps > 0 ? [moved(spend(state, 'steps'), nextMs)] : []),
    ...(state.left.clocks > 0 ? clockSteps(spend(state, 'clocks')) : []),
    ...(state.left.outages > 0 ? [moved(spend(state, 'outages'), nextMs + OUTAGE_MS)] : []),
  ];
}

function moved(state: State, nowMs: number): Step {
  return { what: `it is ${new Date(nowMs).toISOString().slice(11, 19)}`, state: { ...state, nowMs } };
}

const CLOCKS = [
  { what: 'the clock of the manager is right', aheadMs: 0 },
  { what: 'the clock of the manager is 90 s ahead', aheadMs: 90_000 },
  { what: 'the clock of the manager is 90 s behind', aheadMs: -90_000 },
];

/** A wake-up comes at its time on either clock, whichever is first: the runtime detects a clock that is set forward. */
function clockSteps(state: State): readonly Step[] {
  const { wakeAtMs } = state;
  return CLOCKS.filter(({ aheadMs }) => aheadMs !== state.aheadMs).map(({ what, aheadMs }) => {
    const forwardMs = Math.max(0, aheadMs - state.aheadMs);
    const wakes = wakeAtMs !== undefined && { wakeAtMs: Math.max(state.nowMs, wakeAtMs - forwardMs) };
    return { what, state: { ...state, ...wakes, aheadMs, isClockNews: true, newestClockMs: newestClockMs(state) } };
  });
}
