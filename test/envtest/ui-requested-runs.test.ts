/** What the page of `kubectl tcj ui` can do with CronJobRuns, on a real API server with a running manager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { CREATED_BY_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { openUi } from '../support/ui.ts';
import { grant, READ_CRON_JOBS } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { buildRun } from './support/requested-runs.ts';
import { createObserved, getOnlyJob, startManualRun } from './support/tcj.ts';

const RUNNER_ROLE = join(PROJECT, 'config/rbac/cronjob_runner_role.yaml');

/** @returns The path of the kubeconfig of a user with the role. */
async function createRunner({ client, namespace }: Scene): Promise<string> {
  const user = `runner-of-${namespace}`;
  await grant(client, user, namespace, parse(readFileSync(RUNNER_ROLE, 'utf8')).rules);
  return writeKubeconfigAs(user, inject('kubeconfig'));
}

test('a user with the role cronjob-runner-role retries a run and starts a backfill, and gets the errors of the commands', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { schedule: '0 0 1 * *' });
  const { namespace } = scene;
  const path = `/api/cronjobs/${namespace}/backup`;
  const job = await startManualRun(scene);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.lastRun?.result).toBe('Failed'));
  await using ui = await openUi(['-n', namespace], { kubeconfig: await createRunner(scene) });
  const { browser } = ui;
  expect(await browser.json(`/api/permissions?namespace=${namespace}`)).toMatchObject({
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

test('a user with the role cronjob-runner-role runs it with other arguments and variables, if the CronJob allows them', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { runOverrides: 'ArgsAndEnv' });
  const { namespace } = scene;
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'fixed');
  await scene.waitUntilObserved('fixed');
  await using ui = await openUi(['-n', namespace], { kubeconfig: await createRunner(scene) });
  const run = (name: string, body: object) => ui.browser.post(`/api/cronjobs/${namespace}/${name}/run`, body);
  const changes = { args: ['--full', 'a b'], env: [{ name: 'LEVEL', value: 'a=b' }] };
  for (const body of [{ args: 'a' }, { args: [1] }, { env: {} }, { env: ['A=b'] }, { env: [{ name: 'A' }] }])
    expect(await run('backup', body)).toMatchObject({ status: 400 });
  expect(await run('fixed', changes)).toEqual({
    status: 409,
    body: { message: 'The CronJob allows no other arguments; set its spec.runOverrides to Args.' },
  });
  expect(await run('backup', changes)).toMatchObject({ status: 200, body: { jobName: expect.any(String) } });
  const job = await getOnlyJob(scene);
  expect(job.spec.template.spec?.containers).toMatchObject([{ name: 'hello', ...changes }]);
});

test('the page can read who created the CronJobRuns of the runs, if the user may list them', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { client, namespace } = scene;
  const path = `/api/cronjobs/${namespace}/backup/creators`;
  await using ui = await openUi(['-n', namespace], { kubeconfig: await createRunner(scene) });
  expect(await ui.browser.json(path)).toEqual({});
  const metadata = { annotations: { [CREATED_BY_ANNOTATION]: 'alice' } };
  await client.create(cronJobRuns, buildRun(scene, { cronJobName: 'backup', manual: {} }, metadata));
  const job = await getOnlyJob(scene);
  await scene.eventually(async () => expect(await ui.browser.json(path)).toEqual({ [job.metadata.name]: 'alice' }));
  const viewer = `viewer-of-${namespace}`;
  await grant(client, viewer, namespace, [READ_CRON_JOBS]);
  await using other = await openUi(['-n', namespace], { kubeconfig: writeKubeconfigAs(viewer, inject('kubeconfig')) });
  expect(await other.browser.json(path)).toEqual({});
});
