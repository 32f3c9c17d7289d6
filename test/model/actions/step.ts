import type { Budget } from '../budget.ts';
import type { ModelState } from '../state.ts';

/** An event, as text, and the state after it. */
export interface ModelStep {
  readonly description: string;
  readonly state: ModelState;
  /** The laws that it breaks. */
  readonly faults?: readonly string[];
}

export function spend(state: ModelState, kind: keyof Budget): ModelState {
  return { ...state, remaining: { ...state.remaining, [kind]: state.remaining[kind] - 1 } };
}
