/** Explores every interleaving of a scenario, breadth first, so that the first counterexample of a law is a shortest one. */
import { listSteps } from './actions.ts';
import { fingerprint } from './fingerprint.ts';
import type { ModelState } from './state.ts';

export interface Exploration {
  /** Number of distinct states. */
  readonly states: number;
  readonly steps: number;
  /** Number of steps from the start to the farthest state. */
  readonly depth: number;
  /** Whether every state within the budget was visited; otherwise the limits ended the exploration. */
  readonly isComplete: boolean;
  /** The first broken law, if any. */
  readonly violation?: Counterexample;
}

export interface Counterexample {
  readonly faults: readonly string[];
  /** The events, step by step. */
  readonly story: readonly string[];
}

export interface ExplorationLimits {
  readonly maxStates: number;
}

/** The path to a state. Intermediate states are not stored. */
interface StatePath {
  readonly description: string;
  readonly previous: StatePath | undefined;
}

interface VisitedState {
  readonly state: ModelState;
  readonly path: StatePath;
}

/** The visited states of a scenario. */
class Search {
  readonly #visited = new Set<string>();
  readonly #maxStates: number;
  steps = 0;
  depth = 0;
  violation: Counterexample | undefined;

  constructor(maxStates: number) {
    this.#maxStates = maxStates;
  }

  get states(): number {
    return this.#visited.size;
  }

  /** Whether no path has reached the state before. */
  addIfNew(state: ModelState): boolean {
    const before = this.states;
    return this.#visited.add(fingerprint(state)).size > before;
  }

  get isOver(): boolean {
    return this.states >= this.#maxStates || this.violation !== undefined;
  }
}

export async function explore(initial: ModelState, { maxStates }: ExplorationLimits): Promise<Exploration> {
  const search = new Search(maxStates);
  search.addIfNew(initial);
  let level: readonly VisitedState[] = [
    { state: initial, path: { description: 'a CronJob is created', previous: undefined } },
  ];
  while (level.length > 0 && !search.isOver) {
    search.depth++;
    level = await nextLevel(level, search);
  }
  const { states, steps, depth, violation } = search;
  return { states, steps, depth, isComplete: level.length === 0, ...(violation && { violation }) };
}

async function nextLevel(level: readonly VisitedState[], search: Search): Promise<readonly VisitedState[]> {
  const next: VisitedState[] = [];
  for (const from of level) {
    for (const { description, state, faults = [] } of await listSteps(from.state)) {
      const path = { description, previous: from.path };
      search.steps++;
      if (faults.length > 0) search.violation ??= { faults, story: toStory(path) };
      else if (search.addIfNew(state)) next.push({ state, path });
    }
    if (search.isOver) break;
  }
  return next;
}

function toStory(path: StatePath): readonly string[] {
  const story: string[] = [];
  for (let step: StatePath | undefined = path; step; step = step.previous) story.unshift(step.description);
  return story;
}
