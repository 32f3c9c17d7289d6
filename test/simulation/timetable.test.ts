/** The slots that the rules compute are those of the operator: both follow the same semantics, and share no code. */
import { expect, test } from 'vitest';
import { parseDelayedTimetable } from '../../api/v1/delayed-timetable.ts';
import { parseTimetable } from '../../api/v1/timetable.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { HOUR_MS } from './durations.ts';
import { withJitter } from './jitter.ts';
import { Random } from './random.ts';
import { applyEdit, randomSpec } from './specs.ts';
import { readTimetable } from './timetable.ts';
import { randomJitter, randomTimetable } from './timetable-specs.ts';

/** Each spec looks at other days of these years. */
const YEARS = [2011, 2019, 2026];
const SPECS = 80;
const SLOTS = 10;
const STARTS = 3;

test('the rules and the operator compute the same slots of random specs', () => {
  const random = new Random(1);
  for (let count = 0; count < SPECS; count++) {
    const now = new Date(Date.UTC(random.pick(YEARS), random.int(0, 11), random.int(1, 28), random.int(0, 23)));
    const base = randomSpec(random, now);
    const spec = applyEdit(base, randomTimetable(random, base, now));
    const [expected, actual] = [readTimetable(spec, now), parseTimetable(spec, now)];
    expect(actual.kind).toBe(expected.kind);
    if (expected.kind === 'invalid' || actual.kind === 'invalid') continue;
    const from = new Date(now.getTime() + random.int(-1000, 1000) * HOUR_MS);
    let [next, previous]: readonly (Date | undefined)[] = [from, from];
    for (let slot = 0; slot < SLOTS && next !== undefined && previous !== undefined; slot++) {
      const found = [expected.slots.next(next), expected.slots.previous(previous)];
      const context = JSON.stringify({ ...spec, jobTemplate: undefined, now, next, previous });
      expect([actual.schedule.next(next), actual.schedule.previous(previous)], context).toEqual(found);
      next = found[0];
      previous = found[1] && new Date(found[1].getTime() - 1);
    }
  }
});

test('the rules and the operator compute the same starts with jitter', () => {
  const random = new Random(1);
  for (let count = 0; count < SPECS; count++) {
    const now = new Date(Date.UTC(random.pick(YEARS), random.int(0, 11), random.int(1, 28), random.int(0, 23)));
    const base = randomSpec(random, now);
    const planned = applyEdit(base, randomTimetable(random, base, now));
    const view = cronJob(applyEdit(planned, randomJitter(random, planned, now)), {}, { uid: `uid-${count}` });
    const [parsed, actual] = [readTimetable(view.spec, now), parseDelayedTimetable(view, now)];
    if (parsed.kind === 'invalid') continue;
    const expected = withJitter(parsed.slots, view);
    for (let step = 0; step < STARTS; step++) {
      const time = new Date(now.getTime() + random.int(-100, 100) * HOUR_MS + random.int(0, 3600) * 1000);
      const slot = expected.next(time);
      const context = JSON.stringify({ ...view.spec, jobTemplate: undefined, now, time });
      expect(actual.startedThrough(time), context).toEqual(expected.startedThrough(time));
      if (slot !== undefined) expect(actual.startOf(slot), context).toEqual(expected.startOf(slot));
    }
  }
});
