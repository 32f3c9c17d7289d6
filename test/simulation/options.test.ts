import { expect, test } from 'vitest';
import { CRON_JOBS, FAULT_KINDS, WHOLE_YEAR } from './limits.ts';
import { formatCommand, parseOptions } from './options.ts';

test('simulates many whole random years without flags', () => {
  expect(parseOptions([])).toEqual({ seed: undefined, runs: 100, limits: WHOLE_YEAR, shouldShrink: true });
});

test('--seed simulates one year, --runs the number of years', () => {
  expect(parseOptions(['--seed', '7'])).toMatchObject({ seed: 7, runs: 1 });
  expect(parseOptions(['--seed', '7', '--runs', '3'])).toMatchObject({ seed: 7, runs: 3 });
});

test.each([
  [['--seed', 'x'], '--seed: "x" is not valid: give a whole number from 0'],
  [['--seed', ''], '--seed: "" is not valid'],
  [['--seed', '-1'], "Option '--seed' argument is ambiguous"],
  [['--runs', '0'], '--runs: "0" is not valid: give a whole number from 1'],
  [['--runs', '1e3'], '--runs: "1e3" is not valid'],
  [['--only', 'rain'], '--only: "rain" is not valid: give some of storms, '],
  [['--cron-jobs', '1,9'], `--cron-jobs: "9" is not valid: give a whole number from 1 to ${CRON_JOBS}`],
  [['--until', 'May'], '--until: "May" is not valid: give a time in UTC'],
  [['--until', '2026-13-01T00:00:00Z'], '--until: "2026-13-01T00:00:00Z" is not valid'],
  [['--sede', '7'], "Unknown option '--sede'"],
  [['7'], 'Unexpected argument'],
])('refuses %j and names the valid values', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('parses the command that it prints for a year', () => {
  const limits = {
    cronJobs: [2, 5],
    faultKinds: [FAULT_KINDS[1], FAULT_KINDS[3]],
    until: new Date('2026-03-29T01:30:00.250Z'),
  };
  const command = formatCommand(12, limits);
  expect(command).toBe(
    'npm run simulate -- --seed 12 --cron-jobs 2,5 --only cuts,crashes --until 2026-03-29T01:30:00.250Z',
  );
  expect(parseOptions(command.split(' ').slice(4))).toMatchObject({ seed: 12, limits });
  expect(formatCommand(3, WHOLE_YEAR)).toBe('npm run simulate -- --seed 3');
  const calm = formatCommand(3, { ...WHOLE_YEAR, faultKinds: [] });
  expect(parseOptions(calm.split(' ').slice(4)).limits.faultKinds).toEqual([]);
});
