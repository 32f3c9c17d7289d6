/** The command line of `npm run model`. */
import { parseArgs } from 'node:util';
import { CONCURRENCY_POLICIES } from '../../api/v1/cronjob-defaults.ts';
import { parseChoices, parseWholeNumber } from '../support/command-line.ts';
import { BUDGET_EVENTS, type Budget, EMPTY_BUDGET, type ModelScenario } from './budget.ts';
import { SCENARIOS } from './scenarios.ts';

export const USAGE = `Usage: npm run model -- [--policy <policy>,…] [--scenario <scenario>,…] [--budget <budget>] [--max-states <count>]

Explore the controller breadth first, for each concurrencyPolicy and scenario, and print the shortest path to a broken law.

  --policy      Policies to explore: ${CONCURRENCY_POLICIES.join(', ')} (default: all).
  --scenario    Scenarios to explore: ${Object.keys(SCENARIOS).join(', ')} (default: all).
  --budget      Events that may happen, and how often, such as steps=2,faults=1 (default: those of the scenario).
  --max-states  Number of states to explore for each policy and scenario (default: 150000).
  --help        Print this help.

Budgets:
${Object.entries(BUDGET_EVENTS)
  .map(([name, description]) => `  ${name.padEnd(13)}${description}`)
  .join('\n')}`;

/** The task of one worker. */
export interface ModelTask {
  readonly name: string;
  readonly scenario: ModelScenario;
  readonly maxStates: number;
}

/** Throws an Error that names the valid values. */
export function parseOptions(args: readonly string[]): readonly ModelTask[] {
  const { values } = parseArgs({
    args: [...args],
    options: {
      policy: { type: 'string', default: CONCURRENCY_POLICIES.join(',') },
      scenario: { type: 'string', default: Object.keys(SCENARIOS).join(',') },
      budget: { type: 'string' },
      'max-states': { type: 'string', default: '150000' },
    },
  });
  const budget = values.budget === undefined ? undefined : parseBudget(values.budget);
  const maxStates = parseWholeNumber('max-states', values['max-states'], [1, 1e9]);
  const names = parseChoices('scenario', values.scenario, Object.keys(SCENARIOS));
  return parseChoices('policy', values.policy, CONCURRENCY_POLICIES).flatMap((concurrencyPolicy) =>
    names.map((name): ModelTask => {
      const scenario = SCENARIOS[name] as ModelScenario; // one of the keys
      const spec = { ...scenario.spec, concurrencyPolicy };
      const bounded = { ...scenario, spec, ...(budget && { budget }) };
      return { name: `${concurrencyPolicy}, ${name}`, scenario: bounded, maxStates };
    }),
  );
}

function parseBudget(text: string): Budget {
  const entries = text.split(',').map((each) => {
    const [name = '', count = ''] = each.split('=');
    return [parseChoices('budget', name, Object.keys(EMPTY_BUDGET))[0], parseWholeNumber('budget', count, [0, 9])];
  });
  return { ...EMPTY_BUDGET, ...Object.fromEntries(entries) };
}
