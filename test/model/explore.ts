/** Explores every interleaving of a scenario, breadth first, so that the first counterexample of a law is a shortest one. */
import { stepsFrom } from './actions.ts';
import { fingerprint } from './fingerprint.ts';
import type { State } from './state.ts';

export interface Exploration {
  /** Number of distinct states. */
  readonly states: number;
  readonly steps: number;
  /** Number of steps from the start to the farthest state. */
  readonly depth: number;
  /** Whether every state within the budget was visited; otherwise the limits ended the exploration. */
  readonly isComplete: boolean;
  /** The first broken law, if any. */
  readonly violation?: Violation;
}

export interface Violation {
  readonly faults: readonly string[];
  /** The events, step by step. */
  readonly story: readonly string[];
}

export interface Limits {
  readonly maxStates: number;
}

/** The path to a state. Intermediate states are not stored. */
interface Way {
  readonly what: string;
  readonly from: Way | undefined;
}

interface Visit {
  readonly state: State;
  readonly way: Way;
}

/** The visited states of a scenario. */
class Survey {
  readonly #seen = new Set<string>();
  readonly #maxStates: number;
  steps = 0;
  depth = 0;
  violation: Violation | undefined;

  constructor(maxStates: number) {
    this.#maxStates = maxStates;
  }

  get states(): number {
    return this.#seen.size;
  }

  /** Whether no path has reached the state before. */
  isNew(state: State): boolean {
    const before = this.states;
    return this.#seen.add(fingerprint(state)).size > before;
  }

  get isOver(): boolean {
    return this.states >= this.#maxStates || this.violation !== undefined;
  }
}

export async function explore(initial: State, { maxStates }: Limits): Promise<Exploration> {
  const survey = new Survey(maxStates);
  survey.isNew(initial);
  let level: readonly Visit[] = [{ state: initial, way: { what: 'a CronJob is created', from: undefined } }];
  while (level.length > 0 && !survey.isOver) {
    survey.depth++;
    level = await nextLevel(level, survey);
  }
  const { states, steps, depth, violation } = survey;
  return { states, steps, depth, isComplete: level.length === 0, ...(violation && { violation }) };
}

async function nextLevel(level: readonly Visit[], survey: Survey): Promise<readonly Visit[]> {
  const next: Visit[] = [];
  for (const from of level) {
    for (const { what, state, faults = [] } of await stepsFrom(from.state)) {
      const way = { what, from: from.way };
      survey.steps++;
      if (faults.length > 0) survey.violation ??= { faults, story: storyOf(way) };
      else if (survey.isNew(state)) next.push({ state, way });
    }
    if (survey.isOver) break;
  }
  return next;
}

function storyOf(way: Way): readonly string[] {
  const story: string[] = [];
  for (let each: Way | undefined = way; each; each = each.from) story.unshift(each.what);
  return story;
}
