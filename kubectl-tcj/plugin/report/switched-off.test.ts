/** A CronJob that people have switched off: it is suspended, and its schedule is a date that never comes. */
import { expect, test } from 'vitest';
import { CoreWorld } from '../../../test/support/core-world.ts';
import { at } from '../../../test/support/cron-jobs.ts';
import { agendaOf } from './agenda.ts';
import { standingOf } from './standing.ts';
import { why } from './why.ts';
import { whyAt } from './why-at.ts';

const now = new Date(at('00:10:00'));
const off = () => CoreWorld.seen({ schedule: '0 0 31 2 *', suspend: true }).cronJob;
const SENTENCE = 'No run starts: spec.suspend is true. Its schedule matches no time within five years either.';

test('is suspended, not invalid', () => {
  expect(standingOf(off(), now)).toBe('Suspended');
});

test('needs another schedule before it is resumed', () => {
  expect(why(off(), now)).toEqual({
    sentence: SENTENCE,
    change: 'to run it, change the schedule, then',
    command: { kind: 'Resume', line: 'kubectl tcj resume hello -n default' },
  });
});

test('has no run at any time, and is listed among the suspended ones of an agenda', () => {
  expect(whyAt(off(), new Date(at('00:05:00')), { now }).sentence).toMatch(/^Nothing was scheduled by /);
  const cronJob = off();
  expect(agendaOf([cronJob], { from: now, until: new Date(at('03:00:00')) })).toMatchObject({ silent: [cronJob] });
});
