import type { Budget } from '../budget.ts';
import type { State } from '../state.ts';

/** An event, as text, and the state after it. */
export interface Step {
  readonly description: string;
  readonly state: State;
  /** The laws that it breaks. */
  readonly faults?: readonly string[];
}

export function spend(state: State, kind: keyof Budget): State {
  return { ...state, remaining: { ...state.remaining, [kind]: state.remaining[kind] - 1 } };
}
