import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedObject } from 'controller-runtime/testing';
import { parseScheduleOrThrow } from 'kubernetes-cron-schedule';
import { CronJob } from '../api/v1/cron-job-types.ts';
import { findMissedRun } from './cron-job-schedule.ts';

const hourly = parseScheduleOrThrow('0 * * * *');
const create = (spec: { readonly startingDeadlineSeconds?: number }, lastScheduleTime?: string) => ({
  ...storedObject(CronJob, { metadata: { name: 'a' }, spec: { schedule: '0 * * * *', jobTemplate: {}, ...spec } }),
  status: { lastScheduleTime },
});
const LAST = '2026-01-01T00:00:00.000Z';

test('the newest of several missed times is due', () => {
  const run = findMissedRun(create({}, LAST), hourly, new Date('2026-01-01T03:30:00Z'));
  assert.deepEqual(run, { kind: 'missed', scheduledTime: new Date('2026-01-01T03:00:00Z') });
});

test('no time is due twice', () => {
  assert.deepEqual(findMissedRun(create({}, LAST), hourly, new Date('2026-01-01T00:59:59Z')), { kind: 'none' });
});

test('the deadline limits how many times can be missed', () => {
  const now = new Date('2026-01-08T00:30:00Z');
  assert.deepEqual(findMissedRun(create({}, LAST), hourly, now), { kind: 'too-many' });
  assert.deepEqual(findMissedRun(create({ startingDeadlineSeconds: 1799 }, LAST), hourly, now), { kind: 'none' });
});
