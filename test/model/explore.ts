/** Explores every interleaving of a model, breadth first, so that the first story of a broken law is a shortest one. */
import { hash } from 'node:crypto';
import { stepsFrom } from './actions.ts';
import type { State } from './state.ts';

export interface Exploration {
  /** Distinct states. */
  readonly states: number;
  readonly steps: number;
  /** Steps from the start to the state that is farthest from it. */
  readonly depth: number;
  /** Whether every state within the budget was seen; else the limits ended it. */
  readonly isComplete: boolean;
  /** The first broken law, if any. */
  readonly violation?: Violation;
}

export interface Violation {
  readonly faults: readonly string[];
  /** What happened, step by step. */
  readonly story: readonly string[];
}

export interface Limits {
  readonly maxStates: number;
  readonly onLevel?: (depth: number, states: number) => void;
}

interface Visit {
  readonly state: State;
  readonly what: string;
  readonly from: Visit | undefined;
}

/** What has been seen of a model so far. */
class Survey {
  readonly #prints = new Set<string>();
  readonly #maxStates: number;
  steps = 0;
  depth = 0;
  violation: Violation | undefined;

  constructor(maxStates: number) {
    this.#maxStates = maxStates;
  }

  get states(): number {
    return this.#prints.size;
  }

  get isFull(): boolean {
    return this.states >= this.#maxStates;
  }

  /** Whether nobody has been in that state before. */
  isNew(state: State): boolean {
    const before = this.states;
    return this.#prints.add(fingerprint(state)).size > before;
  }

  get isOver(): boolean {
    return this.isFull || this.violation !== undefined;
  }
}

export async function explore(initial: State, { maxStates, onLevel }: Limits): Promise<Exploration> {
  const survey = new Survey(maxStates);
  survey.isNew(initial);
  let level: readonly Visit[] = [{ state: initial, what: 'a CronJob is created', from: undefined }];
  while (level.length > 0 && !survey.isOver) {
    onLevel?.(survey.depth++, survey.states);
    level = await nextLevel(level, survey);
  }
  const { states, steps, depth, violation } = survey;
  return { states, steps, depth, isComplete: level.length === 0, ...(violation && { violation }) };
}

async function nextLevel(level: readonly Visit[], survey: Survey): Promise<readonly Visit[]> {
  const next: Visit[] = [];
  for (const from of level) {
    for (const { what, state, faults } of await stepsFrom(from.state)) {
      const visit = { what, state, from };
      survey.steps++;
      if (faults.length > 0) survey.violation ??= { faults, story: storyOf(visit) };
      else if (survey.isNew(state)) next.push(visit);
    }
    if (survey.isOver) break;
  }
  return next;
}

function storyOf(visit: Visit): readonly string[] {
  const story: string[] = [];
  for (let each: Visit | undefined = visit; each; each = each.from) story.unshift(each.what);
  return story;
}

/** Versions count writes, and tell nothing but which objects are the same: states that differ in nothing else are one. */
function fingerprint(state: State): string {
  const versions = [state.cronJob, state.cachedCronJob, state.written, ...state.cronJobEvents].map((each) =>
    Number(each?.metadata.resourceVersion ?? 0),
  );
  const ranks = [...new Set(versions)].toSorted((left, right) => left - right);
  const rank = (version: string) => String(ranks.indexOf(Number(version)));
  const text = JSON.stringify(state, function (this: unknown, key: string, value: unknown) {
    if (key === 'resourceVersion') return rank(value as string);
    return value instanceof Set || value instanceof Map ? [...value].toSorted() : value;
  });
  return hash('sha1', text, 'base64');
}
