import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DEFAULT_MAX_IN_FLIGHT } from 'controller-runtime';
import { expect, test } from 'vitest';
import { Scene } from '../support/scene.ts';

const CRON_JOBS = 100;
const WATCHES = 2;
const CONNECTED = 'undici:client:connected';

test('200 calls of the manager open no more TLS connections than its pool may have', async () => {
  await using scene = await Scene.open();
  const names = Array.from({ length: CRON_JOBS }, (_, index) => `hello-${index}`);
  await Promise.all(names.map((name) => scene.createCronJob({}, name)));
  let connections = 0;
  const count = () => {
    connections++;
  };
  subscribe(CONNECTED, count);
  try {
    await scene.startManager();
    await scene.observed(names.at(-1));
    await scene.passNextMinute();
    await scene.hasJobs(CRON_JOBS); // a status for each CronJob, then a Job for each: 200 calls
  } finally {
    unsubscribe(CONNECTED, count);
  }
  expect(connections).toBeGreaterThan(WATCHES);
  expect(connections).toBeLessThanOrEqual(DEFAULT_MAX_IN_FLIGHT + WATCHES);
});
