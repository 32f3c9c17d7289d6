/** The core writes the statuses. */
import { expect, test } from 'vitest';
import {
  IMPORTED_FROM_ANNOTATION,
  RUN_NOW_ANNOTATION,
  TAKES_OVER_FROM_ANNOTATION,
} from '../../../api/v1/groupversion.ts';
import { CoreWorld, REFUSED } from '../../../test/support/core-world.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { reconcileAt, time, worldAfterReconciles } from '../../../test/support/reconciles-at.ts';
import { explainTime } from './why-at.ts';

const explainAt = (world: CoreWorld, asked: string | Date, now: string) =>
  explainTime(world.cronJob, typeof asked === 'string' ? time(asked) : asked, { now: time(now) }).sentence;

function refused(): CoreWorld {
  const world = worldAfterReconciles({});
  world.reconcile(at('01:00:00'), { started: REFUSED });
  return world;
}

/** A CronJob that was edited, with a later reconcile. */
function edited(schedule: string, to: string, ...times: readonly [...before: string[], seen: string]): CoreWorld {
  const world = worldAfterReconciles({ schedule }, ...times.slice(0, -1));
  world.edit({ schedule: to });
  reconcileAt(world, times.at(-1) ?? '');
  return world;
}

function imported(): CoreWorld {
  const annotations = { [IMPORTED_FROM_ANNOTATION]: 'uid', [TAKES_OVER_FROM_ANNOTATION]: '2025-12-31T23:55:00Z' };
  const world = new CoreWorld(cronJob({}, undefined, { annotations }));
  reconcileAt(world, '00:10');
  return world;
}

const BERLIN = worldAfterReconciles({ timeZone: 'Europe/Berlin' }, '01:00');
const MOVED = edited('0 * * * *', '30 * * * *', '01:00', '04:00');

test.each(
  Object.entries<readonly [world: CoreWorld, asked: string | Date, now: string, sentence: string | RegExp]>({
    ran: [
      worldAfterReconciles({}, '01:00'),
      '01:00',
      '05:00',
      'The run of Thu 2026-01-01 01:00 UTC is running, as Job hello-1767229200.',
    ],
    ...Object.fromEntries(
      ['01:30', '01:59:59'].map((asked) => [
        `the time before ${asked}, which is not in the schedule`,
        [
          BERLIN,
          asked,
          '05:00',
          `Thu 2026-01-01 ${asked.replace('01', '02')} Europe/Berlin is not in its schedule (0 * * * *): the previous ` +
            'time is Thu 2026-01-01 02:00 Europe/Berlin and the next time is Thu 2026-01-01 03:00 Europe/Berlin. ' +
            'The run of Thu 2026-01-01 02:00 Europe/Berlin is running, as Job hello-1767229200.',
        ] as const,
      ]),
    ),
    'in the future': [
      worldAfterReconciles({}),
      '07:00',
      '00:10',
      'Thu 2026-01-01 07:00 UTC (in 6h50m) is in the future. The next run is due Thu 2026-01-01 01:00 UTC (in 50m).',
    ],
    'in the future, and not in the schedule': [
      worldAfterReconciles({}),
      '07:30',
      '00:10',
      /^Thu 2026-01-01 07:30 UTC is not in its schedule .* 07:00 UTC and the next time is .* 08:00 UTC\. .* is in the future\. /,
    ],
    'due, without a run': [
      refused(),
      '01:00',
      '01:10',
      /^Thu 2026-01-01 01:00 UTC \(10m ago\) has not run yet\. A run cannot start: /,
    ],
    'before the schedule took effect': [
      MOVED,
      '02:45',
      '05:00',
      'The schedule took effect at Thu 2026-01-01 04:00 UTC, after Thu 2026-01-01 02:45 UTC; the runs of an earlier schedule are unknown.',
    ],
    'a run of an earlier schedule': [MOVED, '01:00', '05:00', /^The run of .* 01:00 UTC is/],
    'the time at which the schedule took effect': [
      edited('0 2 * * *', '0 * * * *', '01:00'),
      '01:00',
      '01:05',
      'The schedule took effect at Thu 2026-01-01 01:00 UTC, and applies only to later times; the runs of an earlier schedule are unknown.',
    ],
    'of a schedule that never fires': [
      worldAfterReconciles({ schedule: '0 0 31 2 *' }),
      '01:00',
      '02:00',
      'No run was scheduled up to Thu 2026-01-01 01:00 UTC.',
    ],
    'before the first scheduled time': [
      worldAfterReconciles({ schedule: '@every 1h' }),
      new Date('2020-01-01T00:00:00Z'),
      '02:00',
      'No run was scheduled up to Wed 2020-01-01 00:00 UTC.',
    ],
    'of batch/v1, before the import': [
      imported(),
      new Date('2025-12-31T23:00:00Z'),
      '05:00',
      'Wed 2025-12-31 23:00 UTC belongs to the batch/v1 CronJob that it was imported from: times after Wed 2025-12-31 23:55 UTC run here.',
    ],
    'during a pause': [
      worldAfterReconciles({ pauseAfterFailures: 1 }, '01:00', '01:05 Failed', '03:01'),
      '03:00',
      '03:05',
      /^Thu 2026-01-01 03:00 UTC \(5m ago\) did not run, because the CronJob was paused\. The CronJob has been paused since /,
    ],
    'no longer in the lists': [
      worldAfterReconciles({ recentRunsLimit: 1 }, '01:00', '02:00'),
      '01:00',
      '02:10',
      'The result of Thu 2026-01-01 01:00 UTC is unknown: the status lists only newer times.',
    ],
  }),
)('explains a scheduled time: %s', (_, [world, asked, now, sentence]) => {
  if (typeof sentence === 'string') expect(explainAt(world, asked, now)).toBe(sentence);
  else expect(explainAt(world, asked, now)).toMatch(sentence);
});

test('explains a skipped time, and counts the others', () => {
  const world = worldAfterReconciles({ concurrencyPolicy: 'Forbid' }, '01:00', '02:00', '03:00', '04:00');
  expect(explainTime(world.cronJob, time('02:00'), { now: time('05:00') })).toEqual({
    sentence:
      'Thu 2026-01-01 02:00 UTC (and another time) did not run, because an earlier run was still active (concurrencyPolicy Forbid).',
    change: expect.stringMatching(/^if its runs hang, set startTimeoutSeconds or activeDeadlineSeconds to end them; /),
  });
});

test('explains a time before the first scheduled time, or a manual run at that time', () => {
  const world = worldAfterReconciles({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
  const ask = (asked = '00:39') => explainAt(world, asked, '01:00');
  expect(ask()).toBe(
    'Thu 2026-01-01 01:39 Europe/Berlin is not in its schedule (30 2 * * *): the previous ' +
      'time is Wed 2025-12-31 02:30 Europe/Berlin and the next time is Thu 2026-01-01 02:30 Europe/Berlin. The schedule took effect at ' +
      'Thu 2026-01-01 01:00 Europe/Berlin, and has no time between then and Thu 2026-01-01 01:39 Europe/Berlin.',
  );
  world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
  reconcileAt(world, '00:39:02');
  expect(ask()).toMatch(/ The manual run at Thu 2026-01-01 01:39:02 Europe\/Berlin is running, as Job \S+\.$/);
  reconcileAt(world, '00:41 Complete');
  expect(ask()).toMatch(/ The manual run at .* 01:39:02 Europe\/Berlin succeeded after 118s\.$/);
  expect(ask('00:40:30')).toContain('The manual run');
  for (const asked of ['00:38', '00:41:01']) expect(ask(asked)).not.toContain('The manual run');
});
