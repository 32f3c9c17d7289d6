/** `npm run model`: explores the controller exhaustively, for each concurrencyPolicy, and prints the shortest story of a broken law. */
import { parseArgs } from 'node:util';
import type { Budget } from './budget.ts';
import { explore } from './explore.ts';
import { SCENARIOS } from './scenarios.ts';
import { initialState } from './state.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

const { values } = parseArgs({
  options: {
    policy: { type: 'string', multiple: true, default: [...POLICIES] },
    scenario: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
    'max-states': { type: 'string', default: '1000000' },
    budget: { type: 'string', default: '' },
  },
});
const given: Partial<Budget> = Object.fromEntries(
  values.budget
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [name = '', count] = each.split('=');
      return [name, Number(count)];
    }),
);
let broken = 0;
for (const concurrencyPolicy of POLICIES.filter((policy) => values.policy.includes(policy))) {
  for (const name of values.scenario) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`there is no scenario ${name}: ${Object.keys(SCENARIOS).join(', ')}`);
    const { spec, budget } = scenario;
    const initial = initialState({
      ...scenario,
      spec: { ...spec, concurrencyPolicy },
      budget: { ...budget, ...given },
    });
    const startedMs = performance.now();
    const result = await explore(initial, {
      maxStates: Number(values['max-states']),
      onLevel: (depth, states) => {
        if (process.stderr.isTTY) process.stderr.write(`\r${concurrencyPolicy}: depth ${depth}, ${states} states `);
      },
    });
    const seconds = (performance.now() - startedMs) / 1000;
    const how = result.violation ? 'BROKEN' : result.isComplete ? 'complete' : 'stopped at the limit';
    const { states, steps, depth } = result;
    console.log(
      `${concurrencyPolicy}, ${name}: ${states} states, ${steps} steps, depth ${depth}, ${seconds.toFixed(1)} s: ${how}`,
    );
    if (!result.violation) continue;
    broken++;
    console.log(result.violation.story.map((what, index) => `  ${index}. ${what}`).join('\n'));
    for (const fault of result.violation.faults) console.log(`  => ${fault}`);
  }
}
process.exitCode = broken > 0 ? 1 : 0;
