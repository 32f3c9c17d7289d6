import { describe, expect, test } from 'vitest';
import { object } from '../test-support/event-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { EventCorrelator, type EventOccurrence } from './event-correlator.ts';
import { COMBINED_HASH } from './event-series.ts';

const MINUTE_MS = 60_000;

const warning = (message: string): Partial<EventOccurrence> => ({ type: 'Warning', reason: 'FailedCreate', message });

function correlating() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const correlator = new EventCorrelator(clock);
  const count = (more: Partial<EventOccurrence> = {}, about = object()) =>
    correlator.addOccurrence(about, {
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created job a-1',
      ...more,
    });
  return {
    clock,
    correlator,
    count,
    /** The count that its Event shows. */
    recordEvent: (more?: Partial<EventOccurrence>, about?: ReturnType<typeof object>) => {
      const series = count(more, about);
      return `${series.count}${series.wordingHash === COMBINED_HASH ? ' combined' : ''}`;
    },
  };
}

describe('a repeated event', () => {
  test('is counted in the same series', async () => {
    const { clock, count } = correlating();
    const first = count();
    await clock.advance(MINUTE_MS);
    expect(count({ message: 'Created job a-2' })).toBe(first);
    expect(first).toMatchObject({ count: 2, firstOccurrenceUnixS: Date.parse('2030-01-01T00:00:00Z') / 1000 });
  });

  test.each([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'SuccessfulDelete' }],
    ['wording', { message: 'Created job a-1 by hand' }],
  ] as const)('with another %s is another series', (_, more) => {
    const { recordEvent } = correlating();
    recordEvent();
    expect(recordEvent(more)).toBe('1');
  });

  test('as a Warning with another number is another series', () => {
    const { recordEvent } = correlating();
    recordEvent(warning('exceeded quota: used pods=3'));
    expect(recordEvent(warning('exceeded quota: used pods=4'))).toBe('1');
    expect(recordEvent(warning('exceeded quota: used pods=3'))).toBe('2');
  });

  test('about another object is another series, also when objects have no UID', () => {
    const { recordEvent } = correlating();
    recordEvent();
    expect(recordEvent({}, object('other'))).toBe('1');
    expect(
      recordEvent({}, { ...object(), metadata: { ...object().metadata, uid: 'of the next one of that name' } }),
    ).toBe('1');
    const withoutUid = (name: string) => ({ ...object(), metadata: { ...object(name).metadata, uid: '' } });
    recordEvent({}, withoutUid('a'));
    expect(recordEvent({}, withoutUid('b'))).toBe('1');
    expect(recordEvent({}, withoutUid('a'))).toBe('2');
  });

  test('is a new series after ten quiet minutes', async () => {
    const { clock, recordEvent } = correlating();
    recordEvent();
    for (const expected of ['2', '3', '4']) {
      await clock.advance(10 * MINUTE_MS);
      expect(recordEvent()).toBe(expected);
    }
    await clock.advance(5 * MINUTE_MS);
    recordEvent({}, object('busy'));
    recordEvent({ reason: 'Other' });
    await clock.advance(5 * MINUTE_MS + 1000);
    expect(recordEvent()).toBe('1');
  });

  test('is in the same series when the wall clock jumps', () => {
    const { clock, recordEvent } = correlating();
    recordEvent();
    clock.jumpTo('2031-01-01T00:00:00Z');
    expect(recordEvent()).toBe('2');
    clock.jumpTo('2029-01-01T00:00:00Z');
    expect(recordEvent()).toBe('3');
  });

  test('is remembered through events of 60,000 other objects, and forgotten after 130,000', () => {
    const { recordEvent } = correlating();
    const others = (from: number, to: number) => {
      for (let number = from; number < to; number++) recordEvent({}, object(`other-${number}`));
    };
    recordEvent();
    others(0, 60_000);
    expect(recordEvent()).toBe('2');
    others(60_000, 132_000);
    expect(recordEvent()).toBe('1');
  });
});

test('is forgotten after a hundred other reasons', () => {
  const { recordEvent } = correlating();
  for (let number = 0; number < 100; number++) recordEvent({ reason: `Reason${number}` });
  expect(recordEvent({ reason: 'Reason0' })).toBe('2');
  recordEvent({ reason: 'Reason100' });
  expect(recordEvent({ reason: 'Reason0' })).toBe('1');
  expect(recordEvent({ reason: 'Reason100' })).toBe('2');
});

describe('events with different messages', () => {
  const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'];

  test('share one Event from the tenth on; earlier ones keep their own', () => {
    const { recordEvent } = correlating();
    const counted = words.map((message) => recordEvent({ message }));
    expect(counted.slice(7)).toEqual(['1', '1', '1 combined', '2 combined', '3 combined']);
    expect(recordEvent({ message: 'two' })).toBe('2');
  });

  test('get their own Events again after ten quiet minutes', async () => {
    const { clock, recordEvent } = correlating();
    for (const message of words) recordEvent({ message });
    await clock.advance(10 * MINUTE_MS + 1000);
    expect(recordEvent({ message: 'twelve' })).toBe('1');
  });

  test('are not combined with another reason or type', () => {
    const { recordEvent } = correlating();
    for (const message of words) recordEvent({ message });
    expect(recordEvent({ message: 'twelve', reason: 'SuccessfulDelete' })).toBe('1');
    expect(recordEvent({ message: 'twelve', type: 'Warning' })).toBe('1');
  });

  test('differ by numbers only for Warnings', () => {
    const { recordEvent } = correlating();
    for (let used = 0; used < 9; used++) recordEvent(warning(`used pods=${used}`));
    expect(recordEvent(warning('used pods=9'))).toBe('1 combined');
  });
});

describe('the next update of an Event', () => {
  /** A series that has been sent. */
  const sent = ({ correlator, count }: ReturnType<typeof correlating>, name: string) => {
    const series = count({}, object(name));
    series.isStored = true;
    correlator.recordResponse(series);
    return series;
  };

  test('is spread over time for a thousand series', () => {
    const scene = correlating();
    const delays = Array.from({ length: 1000 }, (_, index) =>
      scene.correlator.computeDelayS(sent(scene, `c-${index}`)),
    );
    const inSecond = delays.map((forS) => delays.filter((other) => other === forS).length);
    expect([Math.min(...delays), Math.max(...delays)]).toEqual([150, 450]);
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(5);
  });

  test('is immediate when the last one is nearly five minutes ago', async () => {
    const scene = correlating();
    const all = Array.from({ length: 10 }, (_, index) => sent(scene, `c-${index}`));
    await scene.clock.advance(240_000);
    expect(all.map((series) => scene.correlator.computeDelayS(series))).toEqual(all.map(() => 0));
  });
});

describe('the budget of an object', () => {
  /** Whether the series may be sent, or how many seconds it is delayed. */
  const spending = ({ correlator, count }: ReturnType<typeof correlating>) => ({
    warn: (about = object()) => correlator.computeDelayS(count(warning('no quota'), about)),
    tell: (reason: string) => correlator.computeDelayS(count({ reason })),
  });

  test('is twenty-five Warnings at once, then one in five minutes', async () => {
    const scene = correlating();
    const { warn } = spending(scene);
    for (let index = 0; index < 25; index++) expect(warn()).toBe(0);
    expect(warn()).toBe(300);
    await scene.clock.advance(5 * MINUTE_MS - 1);
    expect(warn()).toBe(1);
    await scene.clock.advance(1);
    expect(warn()).toBe(0);
    expect(warn()).toBe(300);
  });

  test('is twenty-five new Events of other reasons, then one in a minute', async () => {
    const scene = correlating();
    const { tell } = spending(scene);
    for (let index = 0; index < 25; index++) expect(tell(`Reason${index}`)).toBe(0);
    expect(tell('Another')).toBe(60);
    await scene.clock.advance(MINUTE_MS);
    expect(tell('YetAnother')).toBe(0);
  });

  test('is separate for each object, and for Warnings', () => {
    const scene = correlating();
    const { warn, tell } = spending(scene);
    for (let index = 0; index < 30; index++) tell(`Reason${index}`);
    for (let index = 0; index < 25; index++) warn(object('other'));
    for (let index = 0; index < 25; index++) expect(warn()).toBe(0);
    expect(tell('Another')).toBe(60);
  });

  test('never grows beyond twenty-five', async () => {
    const scene = correlating();
    const { warn } = spending(scene);
    for (let minute = 0; minute < 600; minute += 10) {
      scene.count({ reason: 'Other' }); // keeps the object in memory
      await scene.clock.advance(10 * MINUTE_MS);
    }
    for (let index = 0; index < 25; index++) expect(warn()).toBe(0);
    expect(warn()).toBe(300);
  });
});
