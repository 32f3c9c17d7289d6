/** Several managers that share the CronJobs by label. */
import { expect, test } from 'vitest';
import type { RunningManager } from '../support/running-manager.ts';
import { Scene } from '../support/scene.ts';

/** How many Jobs the manager has tried to create. */
const creates = (manager: RunningManager) => manager.requests('POST', /\/jobs$/).length;

test('each CronJob is run by the manager of its label, also after the label has changed', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({}, 'labelled');
  await scene.patch({ metadata: { labels: { shard: 'a' } } }, 'labelled');
  const ofA = await scene.startManager({ watchLabelSelector: 'shard=a' });
  const others = await scene.startManager({ watchLabelSelector: 'shard!=a' });
  await scene.createCronJob({}, 'other');
  await scene.waitUntilObserved('other');

  await scene.passNextMinute();
  await scene.eventually(async () => expect(await scene.jobs()).toHaveLength(2));
  expect([creates(ofA), creates(others)]).toEqual([1, 1]);

  await scene.patch({ metadata: { labels: { shard: null } }, spec: { failedJobsHistoryLimit: 2 } }, 'labelled');
  await scene.waitUntilObserved('labelled');
  expect(others.requests('PUT', /cronjobs\/labelled\/status$/)).not.toEqual([]);
  await scene.passNextMinute();
  await scene.eventually(async () => expect(await scene.jobs()).toHaveLength(4));
  expect([creates(ofA), creates(others)]).toEqual([1, 3]);
});

test('shares that overlap run each slot once', async () => {
  await using scene = await Scene.open();
  const one = await scene.startManager();
  const other = await scene.startManager({ watchLabelSelector: '!shard' });
  await scene.createCronJob();
  await scene.waitUntilObserved();
  for (const runs of [1, 2, 3]) {
    await scene.passNextMinute();
    await scene.eventually(async () => {
      expect(await scene.jobs()).toHaveLength(runs);
      expect((await scene.cronJob()).status?.active).toHaveLength(runs);
    });
  }
  const names = (await scene.jobs()).map(({ metadata }) => metadata.name);
  expect(new Set(names).size).toBe(3);
  expect(creates(one) + creates(other)).toBeGreaterThanOrEqual(3);
});
