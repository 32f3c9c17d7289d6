/** kubectl tcj retry, backfill and run with CronJobRuns, on a real API server with a running manager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from 'controller-runtime';
import type { ClusterRole } from 'controller-runtime/kubernetes';
import { afterAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import type { Job } from '../../api/kubernetes.ts';
import { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { CREATED_BY_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { setupCronJobRunWebhooksWithManager } from '../../controllers/cronjobrun-webhook.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { connect } from '../support/cluster-client.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { createSwitchableRelay } from '../support/switchable-relay.ts';
import { grant, READ_CRON_JOBS } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { createObserved, getOnlyJob, tcj, tcjWithTerminal } from './support/tcj.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const cluster = connect(inject('kubeconfig'));
afterAll(() => cluster[Symbol.asyncDispose]());

interface FailedRun {
  /** The scheduled time. */
  readonly slot: string;
  readonly failed: Job;
}

/** Creates the CronJob `backup` with one run of the schedule, which has failed. No further run is due. */
async function createFailedRun(scene: Scene): Promise<FailedRun> {
  await createObserved(scene, { schedule: '* * * * *', concurrencyPolicy: 'Forbid', failedJobsHistoryLimit: 5 });
  const slot = await scene.passNextMinute();
  const failed = await scene.waitForJob(slot);
  await scene.edit({ suspend: true }, 'backup');
  await scene.finish(failed, 'Failed');
  await scene.eventually(async () => {
    expect((await scene.cronJob('backup')).status?.recentRuns?.[0]).toContain(' Failed ');
  });
  return { slot, failed };
}

/** The Job that appears in addition to `known`. */
async function waitForOtherJob(scene: Scene, known: readonly Job[]): Promise<Job> {
  return await scene.eventually(async () => {
    const uids = known.map(({ metadata }) => metadata.uid);
    const found = (await scene.jobs()).find(({ metadata }) => !uids.includes(metadata.uid));
    return found ?? expect.fail('no other Job');
  });
}

const readRules = (file: string): NonNullable<ClusterRole['rules']> =>
  parse(readFileSync(join(PROJECT, 'config/rbac', file), 'utf8')).rules;

test('retry repeats the newest failed run of the schedule, and exits with its result', async () => {
  await using scene = await Scene.open();
  const { slot, failed } = await createFailedRun(scene);
  const dryRun = await tcj(scene, 'retry backup --dry-run');
  expect(dryRun).toMatchObject({ code: 0, out: expect.stringMatching(/ repeats the run of .* \(server dry run\)\n$/) });
  expect(await scene.client.list(cronJobRuns, { namespace: scene.namespace })).toEqual([]);
  const running = tcj(scene, 'retry backup --wait');
  const job = await waitForOtherJob(scene, [failed]);
  expect(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION]).toBe(slot);
  await scene.finish(job, 'Complete');
  expect(await running).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^\S+\/backup repeats the run of .* UTC\nJob backup-b\d+-\w{5} created\nThe requested run of .* UTC succeeded after \S+\.\n$/,
    ),
    err: '',
  });
});

test('history shows the CronJobRun of a run, and the creator that the webhook recorded', async () => {
  const { client } = cluster;
  await using webhooks = await WebhookScene.open((registrar) =>
    setupCronJobRunWebhooksWithManager(registrar, { client, apiReader: client, clock: new SystemClock() }),
  );
  const { scene } = webhooks;
  const { slot, failed } = await createFailedRun(scene);
  const line = `retry backup --run ${failed.metadata.name}`;
  const alice = `alice-${scene.namespace}`;
  await grant(client, alice, scene.namespace, readRules('cronjob_runner_role.yaml'));
  const kubeconfig = writeKubeconfigAs(alice, inject('kubeconfig'));
  // The API server calls a new webhook after some seconds.
  await scene.eventually(async () => {
    const body = {
      metadata: { namespace: scene.namespace, name: 'check' },
      spec: { cronJobName: 'backup', manual: {} },
    };
    const { annotations } = (await client.create(CronJobRun, body, { dryRun: true })).metadata;
    expect(annotations).toHaveProperty([CREATED_BY_ANNOTATION]);
  });
  expect(await tcj(scene, line, '--kubeconfig', kubeconfig)).toMatchObject({ code: 0 });
  const [request] = await client.list(cronJobRuns, { namespace: scene.namespace });
  const { name } = request?.metadata ?? expect.fail('no CronJobRun');
  await scene.eventually(async () => {
    expect((await tcj(scene, 'history backup')).out).toMatch(
      new RegExp(`Backfill of .* UTC by ${name} \\(${alice}\\)\n`),
    );
  });
  expect(JSON.parse((await tcj(scene, 'history backup -o json')).out)).toContainEqual(
    expect.objectContaining({
      ...{ trigger: 'Backfill', requestedBy: name, createdBy: alice },
      requestedTime: new Date(slot).toISOString(),
    }),
  );
});

test('retry of a manual run has its overrides', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { runOverrides: 'ArgsAndEnv' });
  const [line, ...flags] = ['run backup', '--arg', '--full', '--arg', 'a,b', '--env', 'LEVEL=a=b'];
  expect(await tcj(scene, line ?? '', ...flags)).toMatchObject({ code: 0, err: '' });
  const job = await getOnlyJob(scene);
  const changed = { args: ['--full', 'a,b'], env: [{ name: 'LEVEL', value: 'a=b' }] };
  expect(job.spec.template.spec?.containers[0]).toMatchObject(changed);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => {
    expect(await tcj(scene, `retry backup --run ${job.metadata.name}`)).toMatchObject({ code: 0, err: '' });
  });
  const retried = await waitForOtherJob(scene, [job]);
  expect(retried.metadata.name).toMatch(/^backup-r\w{9}$/);
  expect(retried.spec.template.spec?.containers[0]).toMatchObject(changed);
});

test.each([
  ['--arg', 'x', 'the CronJob allows no other arguments; set its spec.runOverrides to Args'],
  ['--env', 'A=b', 'the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv'],
])('run %s is refused unless the CronJob allows it', async (flag, value, message) => {
  await using scene = await Scene.open();
  await createObserved(scene);
  expect(await tcj(scene, 'run backup', flag, value)).toMatchObject({ code: 1, err: `kubectl tcj run: ${message}\n` });
});

test('backfill starts the runs of a time, waits for them, and exits with their result', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { schedule: '0 0 1 * *' });
  const line = 'backfill backup --from 2026-01-01 --to 2026-04-01';
  expect(await tcj(scene, `${line} --dry-run`)).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^\S+\/backup starts 3 runs, one at a time: first the run of Thu 2026-01-01 00:00 UTC, last the run of Sun 2026-03-01 00:00 UTC \(server dry run\)\n$/,
    ),
    err: '',
  });
  expect(await scene.client.list(cronJobRuns, { namespace: scene.namespace })).toEqual([]);
  expect(await tcj(scene, `${line} --limit 2`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^kubectl tcj backfill: more than 2 runs were scheduled between .*; use a shorter time, or --limit with a number up to 1000\n$/,
    ),
  });
  const running = tcj(scene, `${line} --reverse --wait`);
  const jobs: Job[] = [];
  for (const month of ['03', '02', '01']) {
    const job = await waitForOtherJob(scene, jobs);
    expect(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION]).toBe(`2026-${month}-01T00:00:00Z`);
    jobs.push(job);
    await scene.finish(job, month === '02' ? 'Failed' : 'Complete');
  }
  const result = await running;
  expect(result.out).toMatch(
    /\nCronJobRun backup-backfill-\w{8} failed: 2 of 3 succeeded, 1 failed, 0 could not start\n$/,
  );
  expect(result).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^to see its runs, use: kubectl tcj history backup /),
  });
});

test('backfill --wait continues after an outage of the API server', async () => {
  await using relay = await createSwitchableRelay(inject('kubeconfig'));
  await using scene = await Scene.open();
  await createObserved(scene, { schedule: '0 0 1 * *' });
  const terminal = new CapturedTerminal();
  const line = 'backfill backup --from 2026-01-01 --to 2026-02-01 --wait';
  const running = tcjWithTerminal(terminal, scene, line, '--kubeconfig', relay.kubeconfig);
  const job = await getOnlyJob(scene);
  await relay.shut();
  await scene.eventually(async () => expect(terminal.texts.err).toContain('; reconnecting\n'));
  await scene.finish(job, 'Complete');
  relay.open();
  expect(await running).toBe(0);
  expect(terminal.texts.err).toMatch(/; reconnecting\nreconnected to the API server\n$/);
});

test('the ClusterRole cronjob-runner-role allows run, retry and backfill, but no change; without it, the message names it', async () => {
  await using scene = await Scene.open();
  await createFailedRun(scene);
  const { client, namespace } = scene;
  const [runner, viewer] = [`runner-${namespace}`, `viewer-${namespace}`];
  await grant(client, runner, namespace, readRules('cronjob_runner_role.yaml'));
  await grant(client, viewer, namespace, [READ_CRON_JOBS]);
  // With Forbid, the runs wait for each other, and the commands for their starts.
  const waiting = { namespace, clock: scene.clock, willTimeOut: true };
  const as = (user: string, line: string) => tcj(waiting, line, '--as', user);
  const lines = ['retry backup', 'backfill backup --from 2026-01-01T00:00 --to 2026-01-01T00:01'];
  for (const line of lines) {
    expect(await as(viewer, line)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        / cannot create .*; the ClusterRole cronjob-operator-cronjob-runner-role allows you to create CronJobRuns\n$/,
      ),
    });
  }
  await scene.edit({ runOverrides: 'Args' }, 'backup');
  for (const line of [...lines, 'run backup', 'run backup --arg --full'])
    expect(await as(runner, line), line).toMatchObject({ code: 0 });
  expect(await as(runner, 'resume backup')).toMatchObject({ code: 1, err: expect.stringContaining(' cannot patch ') });
  expect((await scene.cronJob('backup')).spec.suspend).toBe(true);
});

test('run uses the annotation of the CronJob if the user may not create CronJobRuns', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { client, namespace } = scene;
  const user = `patcher-${namespace}`;
  await grant(client, user, namespace, [READ_CRON_JOBS, { ...READ_CRON_JOBS, verbs: ['patch'] }]);
  const kubeconfig = writeKubeconfigAs(user, inject('kubeconfig'));
  expect(await tcj(scene, 'run backup', '--kubeconfig', kubeconfig)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Job backup-m\w{9} created\n$/),
  });
});
