import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../../test/support/cron-jobs.ts';
import { TAKES_OVER_FROM_ANNOTATION } from './groupversion.ts';
import { parseTakeOverAnnotation } from './take-over.ts';

const CREATED = new Date(at('05:00:00'));

function takeOverFrom(value: unknown) {
  return parseTakeOverAnnotation({ annotations: { [TAKES_OVER_FROM_ANNOTATION]: value } }, CREATED);
}

describe('the time of a takeover', () => {
  test.each([
    ['a minute before the creation', at('04:59:00'), at('04:59:00')],
    ['ten minutes before it', at('04:50:00'), at('04:50:00')],
    ['the creation itself', at('05:00:00'), at('05:00:00')],
    ['in another zone', '2026-01-01T05:58:00+01:00', at('04:58:00')],
    ['of a clock that has fractions, in the second of the creation', at('05:00:00.900'), at('05:00:00')],
    ['of a clock that has fractions, ten minutes before it', at('04:50:00.900'), at('04:50:00')],
  ])('counts when it is %s', (_, value, from) => {
    expect(takeOverFrom(value)).toEqual({ kind: 'takenOver', from: new Date(from) });
  });

  const ignored = ['yesterday', '', '2026-01-01', '2026-01-01T25:00:00Z', 1767243600, {}].map((value) => [
    value,
    'is not a time and is ignored; give the time at which the other CronJob was suspended, such as 2026-01-02T15:04:05Z',
  ]);
  test.each([
    ...ignored,
    [
      at('05:00:01'),
      '2026-01-01T05:00:01Z is after the creation of this CronJob and is ignored; remove it, and check the clocks',
    ],
    [
      at('04:49:59'),
      '2026-01-01T04:49:59Z is more than 10 minutes before the creation of this CronJob and is ignored, so no earlier ' +
        'run starts; remove it',
    ],
  ])('is ignored when it is %j', (value, fault) => {
    expect(takeOverFrom(value)).toEqual({ kind: 'ignored', fault });
  });

  test.each([undefined, null, 'x', {}, { annotations: null }, { annotations: { other: at('04:59:00') } }])(
    'is none with the metadata %j',
    (metadata) => {
      expect(parseTakeOverAnnotation(metadata, CREATED)).toEqual({ kind: 'none' });
    },
  );

  test('never leads to a slot after the creation, nor to one of more than ten minutes before', () => {
    const [min, max] = [new Date(at('04:00:00')), new Date(at('06:00:00'))];
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (time) => {
        const takeOver = takeOverFrom(time.toISOString());
        const aheadSeconds = CREATED.getTime() / 1000 - Math.floor(time.getTime() / 1000);
        expect(takeOver.kind).toBe(aheadSeconds >= 0 && aheadSeconds <= 600 ? 'takenOver' : 'ignored');
        if (takeOver.kind === 'takenOver') expect(takeOver.from.getTime() % 1000).toBe(0);
      }),
    );
  });
});
