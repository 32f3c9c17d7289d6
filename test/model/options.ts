/** The command line of `npm run model`. */
import { parseArgs } from 'node:util';
import { type Budget, NOTHING, type Scenario } from './budget.ts';
import { SCENARIOS } from './scenarios.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

export const USAGE = `Usage: npm run model -- [--policy <policy>…] [--scenario <scenario>…] [--budget <budget>] [--max-states <count>]

Explores the controller breadth first, for each concurrencyPolicy and scenario, and prints the shortest story of a broken law.

  --policy      ${POLICIES.join(', ')}. Default: all.
  --scenario    ${Object.keys(SCENARIOS).join(', ')}. Default: all.
  --budget      What may happen, and how often, such as steps=2,faults=1: this, and nothing else. Default: that of the scenario.
  --max-states  States to explore of each policy and scenario. Default: 150000.
  --help        Show this.

Budgets: ${Object.keys(NOTHING).join(', ')}.`;

/** What one worker explores. */
export interface Task {
  readonly name: string;
  readonly scenario: Scenario;
  readonly maxStates: number;
}

export interface Options {
  readonly tasks: readonly Task[];
  readonly showsHelp: boolean;
}

/** Throws an Error that says what to give instead. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      policy: { type: 'string', multiple: true, default: [...POLICIES] },
      scenario: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
      budget: { type: 'string' },
      'max-states': { type: 'string', default: '150000' },
      help: { type: 'boolean', default: false },
    },
  });
  const budget = values.budget === undefined ? undefined : parseBudget(values.budget);
  const maxStates = Number(values['max-states']);
  const tasks = values.policy.flatMap((given) => {
    const concurrencyPolicy = oneOf(POLICIES, given);
    return values.scenario.map((name): Task => {
      const scenario = SCENARIOS[oneOf(Object.keys(SCENARIOS), name)] as Scenario;
      const spec = { ...scenario.spec, concurrencyPolicy };
      return { name: `${given}, ${name}`, scenario: { ...scenario, spec, ...(budget && { budget }) }, maxStates };
    });
  });
  return { tasks, showsHelp: values.help };
}

function parseBudget(text: string): Budget {
  const given = text.split(',').map((each) => {
    const [name = '', count = ''] = each.split('=');
    if (!/^\d$/.test(count)) throw new Error(`"${each}": give a name and a digit, such as steps=2`);
    return [oneOf(Object.keys(NOTHING), name), Number(count)];
  });
  return { ...NOTHING, ...Object.fromEntries(given) };
}

function oneOf<T extends string>(known: readonly T[], given: string): T {
  const found = known.find((each) => each === given);
  if (found === undefined) throw new Error(`there is no "${given}": give one of ${known.join(', ')}`);
  return found;
}
