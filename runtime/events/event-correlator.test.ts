import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { EventCorrelator, type Occurrence } from './event-correlator.ts';

const MINUTE_MS = 60_000;

const happened = (more: Partial<Occurrence> = {}): Occurrence => ({
  objectKey: 'uid-1',
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message: 'Created job a',
  ...more,
});

function correlating() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const correlator = new EventCorrelator(clock);
  return {
    clock,
    /** Count and message of the Event that shows it, or `tooMany`. */
    see: (more?: Partial<Occurrence>) => {
      const correlation = correlator.correlate(happened(more));
      return correlation.kind === 'show'
        ? `${correlation.counted.count} ${correlation.counted.message}`
        : correlation.kind;
    },
    correlator,
  };
}

describe('the same again', () => {
  test('is counted in the same Event', async () => {
    const { clock, correlator } = correlating();
    const first = correlator.correlate(happened());
    await clock.advance(MINUTE_MS);
    const second = correlator.correlate(happened());
    expect(second).toEqual({
      kind: 'show',
      counted: {
        message: 'Created job a',
        count: 2,
        firstAt: new Date('2030-01-01T00:00:00Z'),
        lastAt: new Date('2030-01-01T00:01:00Z'),
      },
    });
    expect(first).toEqual(second);
  });

  test.each([
    ['object', { objectKey: 'uid-2' }],
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'FailedCreate' }],
    ['message', { message: 'Created job b' }],
  ] as const)('of another %s is another Event', (_, more) => {
    const { see } = correlating();
    see();
    expect(see(more)).toMatch(/^1 /);
  });

  test('is a new Event after ten quiet minutes', async () => {
    const { clock, see } = correlating();
    see();
    await clock.advance(10 * MINUTE_MS);
    expect(see()).toBe('2 Created job a');
    await clock.advance(10 * MINUTE_MS + 1);
    expect(see()).toBe('1 Created job a');
  });
});

describe('many that differ only in their message', () => {
  test('share one Event from the tenth on', () => {
    const { see } = correlating();
    const shown = Array.from({ length: 12 }, (_, index) => see({ message: `job ${index}` }));
    expect(shown.slice(7)).toEqual([
      '1 job 7',
      '1 job 8',
      '1 (combined from similar events): job 9',
      '2 (combined from similar events): job 10',
      '3 (combined from similar events): job 11',
    ]);
  });

  test('are told apart again after ten quiet minutes', async () => {
    const { clock, see } = correlating();
    for (let index = 0; index < 12; index++) see({ message: `job ${index}` });
    await clock.advance(10 * MINUTE_MS + 1);
    expect(see({ message: 'job 13' })).toBe('1 job 13');
  });

  test('do not count those of other reasons', () => {
    const { see } = correlating();
    for (let index = 0; index < 9; index++) see({ message: `job ${index}` });
    expect(see({ message: 'job 9', reason: 'SuccessfulDelete' })).toBe('1 job 9');
  });
});

describe('the budget of an object', () => {
  test('is twenty-five at once, then one in five minutes', async () => {
    const { clock, see } = correlating();
    for (let index = 0; index < 25; index++) expect(see()).not.toBe('tooMany');
    expect(see()).toBe('tooMany');
    await clock.advance(5 * MINUTE_MS - 1);
    expect(see()).toBe('tooMany');
    await clock.advance(1);
    // What was not shown was counted.
    expect(see()).toBe('28 Created job a');
    expect(see()).toBe('tooMany');
  });

  test('is its own', () => {
    const { see } = correlating();
    for (let index = 0; index < 26; index++) see();
    expect(see({ objectKey: 'uid-2' })).toBe('1 Created job a');
  });

  test('never grows beyond twenty-five', async () => {
    const { clock, see } = correlating();
    see();
    await clock.advance(100 * 5 * MINUTE_MS);
    for (let index = 0; index < 25; index++) expect(see()).not.toBe('tooMany');
    expect(see()).toBe('tooMany');
  });
});
