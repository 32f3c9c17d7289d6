/** `npm run model`: explores the controller exhaustively, for each concurrencyPolicy, and prints the shortest story of a broken law. */
import { parseArgs } from 'node:util';
import { explore } from './explore.ts';
import { type Budget, initialState } from './state.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
const BUDGET: Budget = { slots: 3, faults: 1, crashes: 1, finishes: 2, deletions: 1, edits: 1, crowds: 1 };

const { values } = parseArgs({
  options: {
    policy: { type: 'string', multiple: true, default: [...POLICIES] },
    'max-states': { type: 'string', default: '1000000' },
    budget: { type: 'string', default: '' },
  },
});
const given = Object.fromEntries(
  values.budget
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [name = '', count] = each.split('=');
      return [name, Number(count)];
    }),
);
const budget: Budget = { ...BUDGET, ...given };
let broken = 0;
for (const concurrencyPolicy of POLICIES.filter((policy) => values.policy.includes(policy))) {
  const startedMs = performance.now();
  const result = await explore(initialState({ concurrencyPolicy }, budget), {
    maxStates: Number(values['max-states']),
    onLevel: (depth, states) => process.stderr.write(`\r${concurrencyPolicy}: depth ${depth}, ${states} states `),
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const how = result.violation ? 'BROKEN' : result.isComplete ? 'complete' : 'stopped at the limit';
  console.log(
    `\r${concurrencyPolicy}: ${result.states} states, ${result.steps} steps, depth ${result.depth}, ${seconds.toFixed(1)} s: ${how}`,
  );
  if (!result.violation) continue;
  broken++;
  console.log(result.violation.story.map((what, index) => `  ${index}. ${what}`).join('\n'));
  for (const fault of result.violation.faults) console.log(`  => ${fault}`);
}
process.exitCode = broken > 0 ? 1 : 0;
