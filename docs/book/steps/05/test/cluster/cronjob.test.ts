/** The controller on a real API server. The numbers are the behaviours of the tutorial. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { batch, isControlledBy } from 'controller-runtime';
import { eventually, startTestEnvironment } from 'controller-runtime/testing';
import { CronJob } from '../../api/v1/cron-job-types.ts';
import { manifests } from '../../cmd/manifests.ts';
import { SCHEDULED_AT } from '../../controllers/cron-job-jobs.ts';
import { DUE, Fixture, HOUR_MS, jobName } from './fixture.ts';

const environment = await startTestEnvironment(manifests);
after(() => environment.stop());

const at = (offsetMs: number) => new Date(DUE.getTime() + offsetMs);
const start = async (now: Date) => new Fixture(environment, await environment.createNamespace(), now);

test('1: a new CronJob has no active Job, and then lists each Job that it owns', async () => {
  const fixture = await start(at(-60_000));
  await using _operator = await fixture.startOperator();
  const cronJob = await fixture.createCronJob();
  await eventually(async () => assert.deepEqual((await fixture.status())?.active, []));
  await fixture.createJob(cronJob, 'other');
  const reference = { apiVersion: 'batch/v1', kind: 'Job', namespace: fixture.namespace, name: 'other' };
  await eventually(async () => assert.deepEqual((await fixture.status())?.active, [reference]));
});

test('2: the status has the scheduled time of the newest run', async () => {
  const fixture = await start(at(-60_000));
  const cronJob = await fixture.createCronJob();
  await fixture.createJob(cronJob, 'newer', { scheduledTime: at(-HOUR_MS) });
  await fixture.createJob(cronJob, 'older', { scheduledTime: at(-2 * HOUR_MS) });
  await using _operator = await fixture.startOperator();
  const expected = at(-HOUR_MS).toISOString();
  await eventually(async () => assert.equal((await fixture.status())?.lastScheduleTime, expected));
});

test('3: only the newest finished Jobs remain, within the history limits', async () => {
  const fixture = await start(at(-60_000));
  const cronJob = await fixture.createCronJob({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  for (const [index, name] of ['success-1', 'success-2', 'success-3', 'failure-1', 'failure-2'].entries()) {
    const type = name.startsWith('success') ? 'Complete' : 'Failed';
    await fixture.finish(await fixture.createJob(cronJob, name), type, at(-HOUR_MS + index * 1_000));
  }
  await fixture.createJob(cronJob, 'active');
  await using _operator = await fixture.startOperator();
  const remaining = ['active', 'failure-2', 'success-2', 'success-3'];
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), remaining));
});

test('4: a suspended CronJob starts nothing', async () => {
  const fixture = await start(DUE);
  const { metadata } = await fixture.createCronJob({ suspend: true });
  await using _operator = await fixture.startOperator();
  await eventually(() => assert.ok(fixture.hasLogged('the CronJob is suspended')));
  assert.deepEqual(await fixture.jobNames(), []);
  await environment.client.patch(CronJob, metadata, { kind: 'merge', body: { spec: { suspend: false } } });
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE)]));
});

test('5: each scheduled time starts one Job, also while another Job is active', async () => {
  const fixture = await start(at(-60_000));
  await using _operator = await fixture.startOperator();
  const cronJob = await fixture.createCronJob();
  await eventually(async () => assert.deepEqual((await fixture.status())?.active, []));
  await fixture.advanceUntil(async () => assert.equal((await fixture.jobs()).length, 1));
  const [job] = await fixture.jobs();
  assert.ok(job);
  assert.equal(job.metadata.name, jobName(DUE));
  assert.equal(job.metadata.annotations?.[SCHEDULED_AT], DUE.toISOString());
  assert.equal(job.metadata.labels?.['app'], 'hello');
  assert.ok(isControlledBy(job, cronJob));

  await fixture.clock.advance(HOUR_MS);
  const names = [jobName(DUE), jobName(at(HOUR_MS))];
  await fixture.advanceUntil(async () => assert.deepEqual(await fixture.jobNames(), names));
});

test('6: a run starts late only within startingDeadlineSeconds', async () => {
  const fixture = await start(at(101_000));
  await fixture.createCronJob({ startingDeadlineSeconds: 100 });
  await using _operator = await fixture.startOperator();
  await eventually(async () => assert.deepEqual((await fixture.status())?.active, []));
  await fixture.clock.advance(HOUR_MS - 101_000);
  await fixture.advanceUntil(async () => assert.deepEqual(await fixture.jobNames(), [jobName(at(HOUR_MS))]));
});

test('7: with Forbid, a run waits for the active Job', async () => {
  const fixture = await start(DUE);
  const active = await fixture.createJob(await fixture.createCronJob({ concurrencyPolicy: 'Forbid' }), 'active');
  await using _operator = await fixture.startOperator();
  await eventually(() => assert.ok(fixture.hasLogged('the concurrency policy forbids another run')));
  assert.deepEqual(await fixture.jobNames(), ['active']);
  await fixture.finish(active, 'Complete');
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), ['active', jobName(DUE)]));
});

test('8: with Replace, a run deletes the active Job', async () => {
  const fixture = await start(DUE);
  await fixture.createJob(await fixture.createCronJob({ concurrencyPolicy: 'Replace' }), 'active');
  await using _operator = await fixture.startOperator();
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE)]));
  assert.equal(
    await environment.client.get(batch.v1.jobs, { namespace: fixture.namespace, name: 'active' }),
    undefined,
  );
});
