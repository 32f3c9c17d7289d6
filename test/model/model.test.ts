/** A part of what `npm run model` explores; the stories that it once found are tests beside the code that they changed. */
import { expect, test } from 'vitest';
import { readPlantedFaults } from '../../hack/planted/planted-faults.ts';
import type { ModelScenario } from './budget.ts';
import { explore } from './explore.ts';
import { parseOptions } from './options.ts';
import { initialState } from './state.ts';

const bounds = readPlantedFaults().flatMap(({ name, foundBy }) =>
  foundBy
    .filter((command) => command.startsWith('npm run model -- '))
    .map((command) => ({ fault: name, part: command.split(' ').slice(4) })),
);

/** Covers all states of most bounds: one bound has ten times as many. */
const MAX_BOUND_STATES = 2_000;
const MAX_SCENARIO_STATES = 400;

test.each(bounds)('finds no broken law in the budget that finds the planted fault $fault', async ({ part }) => {
  for (const { scenario } of parseOptions(part)) {
    const { violation } = await explore(initialState(scenario), { maxStates: MAX_BOUND_STATES });
    expect(violation).toBeUndefined();
  }
});

test.each(parseOptions([]))('finds no broken law in the first states: $name', async ({ scenario }) => {
  const { states, violation } = await explore(initialState(scenario), { maxStates: MAX_SCENARIO_STATES });
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThanOrEqual(MAX_SCENARIO_STATES);
});

test('finds no broken law while a requested run waits until the Job of an earlier CronJob is gone', async () => {
  const budget = ['--policy', 'Allow', '--scenario', 'request', '--budget', 'removals=1,faults=1,handOvers=1'];
  for (const { scenario } of parseOptions(budget)) {
    const { violation } = await explore(initialState(scenario), { maxStates: 15_000 });
    expect(violation).toBeUndefined();
  }
});

test('explores a small budget completely', async () => {
  const [task] = parseOptions(['--budget', 'steps=1,finishes=1']);
  const { isComplete } = await explore(initialState(task?.scenario as ModelScenario), { maxStates: MAX_BOUND_STATES });
  expect(isComplete).toBe(true);
});

test.each([
  [['--policy', 'Often'], '--policy: "Often" is not valid: give some of Allow, Forbid, Replace, Skip, Queue'],
  [['--scenario', 'x'], '--scenario: "x" is not valid: give some of runs'],
  [['--budget', 'steps'], '--budget: "" is not valid: give a whole number from 0 to 9'],
  [['--budget', 'x=1'], '--budget: "x" is not valid: give some of steps'],
])('refuses invalid flags: %s', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
