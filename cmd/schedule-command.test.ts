import { describe, expect, test } from 'vitest';
import { runScheduleCommand } from './schedule-command.ts';

const NOW = new Date('2026-03-28T00:00:00Z');

const run = (...args: string[]) => runScheduleCommand(args, NOW);

function runForText(...args: string[]): string {
  const { exitCode, stdout, stderr } = run(...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('prints as text', () => {
  test('description, instants and clock changes', () => {
    expect(runForText('30 2 * * *', '--time-zone', 'Europe/Berlin', '-n', '3')).toBe(`30 2 * * *  (Europe/Berlin)
At 02:30 every day.

Europe/Berlin                  UTC
Sat 2026-03-28T02:30:00+01:00  2026-03-28T01:30:00Z
Mon 2026-03-30T02:30:00+02:00  2026-03-30T00:30:00Z
Tue 2026-03-31T02:30:00+02:00  2026-03-31T00:30:00Z

Clock changes:
  2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00
  2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00
`);
  });

  test('that a schedule never runs', () => {
    expect(runForText('0 0 31 2 *')).toBe(`0 0 31 2 *  (UTC)
Never: at 00:00 on day 31 of the month, in February.

The schedule never runs, because no time matches within five years.
`);
  });

  test('that there is nothing after the last instant', () => {
    expect(runForText('0 0 29 2 *', '--from=2092-01-01T00:00:00Z').split('\n').slice(-5)).toEqual([
      'UTC',
      'Fri 2092-02-29T00:00:00Z',
      'Wed 2096-02-29T00:00:00Z',
      'No further time matches within five years.',
      '',
    ]);
  });

  test('the anchor of @every', () => {
    expect(runForText('@every 90m', '-n1', '--from=2026-01-01T00:00:30.500+01:00')).toBe(`@every 90m  (UTC)
Every 1 hour 30 minutes, counted from the time at which the schedule is set.

UTC
Thu 2026-01-01T00:30:30Z
`);
  });

  test('times in a zone with the offset of UTC', () => {
    expect(runForText('0 12 28,29 3 *', '--time-zone=Europe/London', '-n2').split('\n').slice(3, 6)).toEqual([
      'Europe/London                  UTC',
      'Sat 2026-03-28T12:00:00Z       2026-03-28T12:00:00Z',
      'Sun 2026-03-29T12:00:00+01:00  2026-03-29T11:00:00Z',
    ]);
  });

  test('the requested number of instants, by default five', () => {
    expect(runForText('* * * * *').match(/^\w{3} 2026/gm)).toHaveLength(5);
    expect(runForText('* * * * *', '--count=1000').match(/^\w{3} 2026/gm)).toHaveLength(1000);
  });
});

test('prints the same as JSON', () => {
  expect(JSON.parse(runForText('30 2 * 3,10 0', '--time-zone=Europe/Berlin', '-n=2', '-o', 'json'))).toEqual({
    schedule: '30 2 * 3,10 0',
    timeZone: 'Europe/Berlin',
    from: '2026-03-28T00:00:00Z',
    words: 'At 02:30 on Sunday, in March and October',
    next: [
      { local: '2026-10-04T02:30:00+02:00', utc: '2026-10-04T00:30:00Z' },
      { local: '2026-10-11T02:30:00+02:00', utc: '2026-10-11T00:30:00Z' },
    ],
    clockChanges: [
      {
        effect: 'skipped',
        at: '2026-03-29T01:00:00Z',
        runs: ['2026-03-29T02:30'],
        words: '2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00',
      },
      {
        effect: 'doubled',
        at: '2026-10-25T01:00:00Z',
        runs: ['2026-10-25T02:30'],
        words: '2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00',
      },
    ],
  });
});

describe('exits with 1 for an invalid schedule or zone', () => {
  test.each([
    [['61 * * * *'], 'manager schedule: spec.schedule: "61 * * * *": minute must be 0-59, not "61"\n'],
    [
      ['* * * * *', '--time-zone=europe/berlin', '-o=json'],
      'manager schedule: spec.timeZone: "europe/berlin": unknown time zone; use Europe/Berlin\n',
    ],
    [[''], /^manager schedule: spec.schedule: "": must have 5 fields/],
  ])('%j', (args, stderr) => {
    expect(run(...args)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr),
    });
  });
});

describe('exits with 2 for invalid flags', () => {
  test.each([
    [[], "missing required argument 'schedule'\nsee manager schedule --help\n"],
    [['* * * * *', '--frm'], "unknown option '--frm'\n(Did you mean --from?)\nsee manager schedule --help\n"],
    [
      ['*/5', '*', '*', '*', '*'],
      'too many arguments. Expected 1 argument but got 5: */5, *, *, *, *.\nput the schedule in quotes: "*/5 * * * *"\nsee manager schedule --help\n',
    ],
    [['* * * * *', '-n', '0'], '--count: "0" is not valid: use a whole number from 1 to 1000\n'],
    [['* * * * *', '-n', '1001'], '--count: "1001" is not valid: use a whole number from 1 to 1000\n'],
    [['* * * * *', '-o', 'yaml'], '--output: "yaml" is not valid: use one of text, json\n'],
  ])('%j', (args, stderr) => {
    expect(run(...args)).toEqual({ exitCode: 2, stdout: '', stderr: `manager schedule: ${stderr}` });
  });

  test.each(['today', '2026-03-28', '2026-03-28T00:00:00', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', ''])(
    '--from %j',
    (from) => {
      expect(run('* * * * *', '--from', from).stderr).toBe(
        `manager schedule: --from: "${from}" is not valid: use an RFC 3339 time, such as 2026-03-28T00:00:00Z or 2026-03-28T00:00:00+01:00\n`,
      );
    },
  );

  test('several invalid flags at once', () => {
    expect(run('* * * * *', '--from=x', '-n=x', '-o=x').stderr.trim().split('\n')).toHaveLength(3);
  });
});

test('prints its help', () => {
  expect(runForText('--help')).toMatchInlineSnapshot(`
    "Usage: manager schedule [options] <schedule>

    Describes a schedule, and prints its next times and the runs that clock changes skip or repeat.

    Arguments:
      schedule               Schedule as in .spec.schedule, in quotes: "30 2 * * *", @daily, "@every 90m".

    Options:
      --time-zone <name>     Time zone as in .spec.timeZone, such as Europe/Berlin (default: UTC).
      --from <instant>       Time to start from, such as 2026-03-28T00:00:00Z (default: now).
      -n, --count <count>    Number of times to print, 1 to 1000 (default: 5).
      -o, --output <format>  Output format: one of text, json (default: text).
      -h, --help             Show this text.
    "
  `);
});
