/** Time moves on. */
import { nextTimeMs, type State } from '../state.ts';
import { type Step, spend } from './step.ts';

const OUTAGE_MS = 2 * 3_600_000;

export function timeSteps(state: State): readonly Step[] {
  const nextMs = nextTimeMs(state);
  return [
    ...(state.left.steps > 0 ? [moved(spend(state, 'steps'), nextMs)] : []),
    ...(state.left.outages > 0 ? [moved(spend(state, 'outages'), nextMs + OUTAGE_MS)] : []),
  ];
}

function moved(state: State, nowMs: number): Step {
  return { what: `it is ${new Date(nowMs).toISOString().slice(11, 19)}`, state: { ...state, nowMs } };
}
