/** What the page of `kubectl tcj ui` can do with CronJobRuns, on a real API server with a running manager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { openUi } from '../support/ui.ts';
import { grant } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { createObserved, startManualRun } from './support/tcj.ts';

const RUNNER_ROLE = join(PROJECT, 'config/rbac/cronjob_runner_role.yaml');

test('a user with the role cronjob-runner-role retries a run and starts a backfill, and gets the errors of the commands', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { schedule: '0 0 1 * *' });
  const { client, namespace } = scene;
  const path = `/api/cronjobs/${namespace}/backup`;
  const job = await startManualRun(scene);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.lastRun?.result).toBe('Failed'));
  const user = `runner-of-${namespace}`;
  await grant(client, user, namespace, parse(readFileSync(RUNNER_ROLE, 'utf8')).rules);
  await using ui = await openUi(['-n', namespace], { kubeconfig: writeKubeconfigAs(user, inject('kubeconfig')) });
  const { browser } = ui;
  expect(await browser.json(`/api/rights?namespace=${namespace}`)).toMatchObject({
    patchCronJobs: false,
    createRuns: true,
  });
  const post = (verb: string, body: object) => browser.post(`${path}/${verb}`, body);
  const retried = await post('retry', { jobName: job.metadata.name });
  const message = `${namespace}/backup repeats manual run ${job.metadata.name}.`;
  expect(retried).toEqual({ status: 200, body: { message, jobName: expect.stringMatching(/^backup-r\w{9}$/) } });
  const year = { startTime: '2025-01-01T00:00:00Z', endTime: '2025-03-01T00:00:00Z', isReversed: false };
  expect(await post('backfill', year)).toEqual({
    status: 200,
    body: {
      message: expect.stringMatching(
        `^${namespace}/backup starts 2 runs, one at a time: first the run of Wed 2025-01-01 00:00 UTC, last the run of Sat 2025-02-01 00:00 UTC \\(CronJobRun backup-backfill-\\w{8}\\)\\.$`,
      ),
    },
  });
  expect(await post('run', {})).toMatchObject({ status: 200, body: { jobName: expect.stringMatching(/^backup-r/) } });
  const names = (await scene.waitForJobs(4)).map(({ metadata }) => metadata.name);
  expect(names.filter((name) => name.startsWith('backup-r'))).toHaveLength(3);
  for (const [verb, body, status] of [
    ['retry', {}, 400],
    ['retry', { jobName: 'nope' }, 409],
    ['backfill', { ...year, isReversed: 'no' }, 400],
    ['backfill', { ...year, endTime: 'now' }, 400],
    ['backfill', { ...year, endTime: '2025-01-01T00:00:00Z' }, 409],
  ] as const) {
    expect(await post(verb, body)).toMatchObject({ status });
  }
});
