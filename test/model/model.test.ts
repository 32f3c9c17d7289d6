/** A part of what `npm run model` explores; the stories that it once told are tests beside the code that they changed. */
import { expect, test } from 'vitest';
import { NOTHING } from './budget.ts';
import { explore } from './explore.ts';
import { SCENARIOS } from './scenarios.ts';
import { initialState } from './state.ts';

const MAX_STATES = 2_000;
const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
const CASES = POLICIES.flatMap((concurrencyPolicy) =>
  Object.entries(SCENARIOS).map(([name, scenario]) => ({ concurrencyPolicy, name, scenario })),
);

test.each(CASES)('no law is broken in the first states under $concurrencyPolicy: $name', async (each) => {
  const { concurrencyPolicy, scenario } = each;
  const initial = initialState({ ...scenario, spec: { ...scenario.spec, concurrencyPolicy } });
  const { states, violation } = await explore(initial, { maxStates: MAX_STATES });
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThanOrEqual(MAX_STATES);
});

test('a small budget is explored to its end', async () => {
  const initial = initialState({ spec: {}, budget: { ...NOTHING, steps: 1, finishes: 1 } });
  const { isComplete, violation } = await explore(initial, { maxStates: MAX_STATES });
  expect({ isComplete, violation }).toEqual({ isComplete: true, violation: undefined });
});
