/** Time moves on. */
import { nextTimeMs, type State } from '../state.ts';
import { type Step, spend } from './step.ts';

export function timeSteps(state: State): readonly Step[] {
  if (state.left.slots === 0) return [];
  const nowMs = nextTimeMs(state);
  return [{ what: `it is ${new Date(nowMs).toISOString().slice(11, 19)}`, state: { ...spend(state, 'slots'), nowMs } }];
}
