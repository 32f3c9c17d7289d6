/** Command lines of the manager. */
import { parseFlags } from 'controller-runtime';
import fc from 'fast-check';
import { FLAGS, MANAGER_PROGRAM } from '../../../../cmd/flags.ts';
import { expectWithinCpu } from './cpu.ts';
import { anyValue } from './json.ts';
import type { AttackTarget } from './target.ts';

const MAX_CALL_MS = 50;

const NAMES = Object.values(FLAGS).map(({ name }) => name);
const VALUES = [
  ...' 0 -1 1 true false True 1s -1s 1h1h 9223372036854775808ns 1e9s 99999999999h Infinity NaN 0x10'.split(' '),
  ...':8080 0.0.0.0:99999 [::1]:80 [:: : a,b , a,,b = -- ../.. 2026-01-01T00:00:00Z'.split(' '),
  ...['__proto__', 'constructor', 'debug', 'json', 'human', 'x'.repeat(5000), '\u0000', '\ud800'],
];

const argument = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom('--', '-', '', '---', '--no-'),
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
          fc.constantFrom('help', 'version', '__proto__', 'constructor', 'toString', '', ' ', 'h'),
        ),
        fc.constantFrom('=', '', ' ', '=='),
        fc.constantFrom(...VALUES),
      )
      .map((parts) => parts.join('')),
  },
  fc.constantFrom(...VALUES),
  anyValue.map((value) => JSON.stringify(value)),
);

export const commandLineTarget: AttackTarget<readonly string[]> = {
  name: 'command lines',
  inputs: fc.array(argument, { maxLength: 5 }),
  check: (args) => {
    const parsed = expectWithinCpu(MAX_CALL_MS, () => parseFlags(MANAGER_PROGRAM, args));
    if (parsed.kind === 'invalid' && parsed.message === '') throw new Error('refused without a message');
    if (parsed.kind !== 'run') return;
    const keys = Object.keys(FLAGS);
    const missing = keys.filter((key) => !Object.hasOwn(parsed.flags, key));
    if (missing.length > 0 || Object.keys(parsed.flags).length !== keys.length) throw new Error(`no ${missing.join()}`);
    for (const value of Object.values(parsed.flags)) {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is not a finite number`);
    }
  },
};
