import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConversions } from 'controller-runtime/testing';
import { CronJob } from './cron-job-types.ts';
import { toStructured } from './structured-schedule.ts';

test('each part has a field, and an absent field is *', () => {
  assert.deepEqual(JSON.stringify(toStructured('*/5 * * * 1-5')), '{"minute":"*/5","dayOfWeek":"1-5"}');
});

test('conversions lose nothing', () => checkConversions(CronJob));
