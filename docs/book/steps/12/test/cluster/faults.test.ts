/** Faults of this operator. Each test passes because the fault happens. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { batch } from 'controller-runtime';
import { eventually, startTestEnvironment } from 'controller-runtime/testing';
import { CronJob } from '../../api/v1/cron-job-types.ts';
import { manifests } from '../../cmd/manifests.ts';
import { SCHEDULED_AT } from '../../controllers/cron-job-jobs.ts';
import { DUE, Fixture, HOUR_MS, jobName, SPEC } from './fixture.ts';

const environment = await startTestEnvironment(manifests);
const { client } = environment;
after(() => environment.stop());

const at = (offsetMs: number) => new Date(DUE.getTime() + offsetMs);
const start = async (now: Date) => new Fixture(environment, await environment.createNamespace(), now);

test('an edit starts a run for a time before the edit', async () => {
  const fixture = await start(at(30_000));
  await using _operator = await fixture.startOperator();
  const { metadata } = await fixture.createCronJob({ schedule: '0 0 29 2 *' });
  await eventually(async () => assert.deepEqual((await fixture.status())?.active, []));
  await client.patch(CronJob, metadata, { kind: 'merge', body: { spec: { schedule: SPEC.schedule } } });
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE)]));
});

test('a run starts twice if its Job is deleted while the operator is down', async () => {
  const fixture = await start(DUE);
  await fixture.createCronJob();
  const operator = await fixture.startOperator();
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE)]));
  await operator.stop();
  const [first] = await fixture.jobs();
  assert.ok(first);
  await fixture.finish(first, 'Complete');
  await client.delete(batch.v1.jobs, first.metadata, { propagationPolicy: 'Background' }); // such as after its TTL
  await using _operator = await fixture.startOperator();
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE)]));
  assert.notEqual((await fixture.jobs())[0]?.metadata.uid, first.metadata.uid);
});

test('after more than 100 missed times, no run starts again', async () => {
  const fixture = await start(at(2 * HOUR_MS));
  await fixture.createCronJob({ schedule: '* * * * *' });
  await using _operator = await fixture.startOperator();
  const message = 'the CronJob missed too many scheduled times; set or decrease spec.startingDeadlineSeconds';
  const count = () => fixture.log.records.filter((record) => record.message === message).length;
  await eventually(() => assert.ok(count() > 0));
  const before = count();
  await fixture.clock.advance(HOUR_MS);
  await fixture.advanceUntil(async () => assert.ok(count() > before));
  assert.deepEqual(await fixture.jobNames(), []);
});

test('a CronJob counts the Jobs of a deleted CronJob with the same name', async () => {
  const fixture = await start(DUE);
  const deleted = await fixture.createCronJob();
  // The finalizer keeps the Job from the garbage collector of a complete cluster.
  const old = await fixture.createJob(deleted, 'old', { finalizers: ['batch.example.com/keep'] });
  await client.delete(CronJob, deleted.metadata);
  await fixture.createCronJob({ concurrencyPolicy: 'Forbid' });
  await using _operator = await fixture.startOperator();
  await eventually(() => assert.ok(fixture.hasLogged('the concurrency policy forbids another run')));
  assert.deepEqual(await fixture.jobNames(), ['old']);
  await client.patch(batch.v1.jobs, old.metadata, { kind: 'merge', body: { metadata: { finalizers: null } } });
});

test('all CronJobs with the same schedule start at once', async () => {
  const fixture = await start(at(-60_000));
  for (let number = 1; number <= 20; number++) await fixture.createCronJob({}, `report-${number}`);
  await using _operator = await fixture.startOperator();
  await eventually(async () => {
    const cronJobs = await client.list(CronJob, { namespace: fixture.namespace });
    assert.ok(cronJobs.every(({ status }) => status !== undefined)); // each waits for its next scheduled time
  });
  assert.deepEqual(await fixture.jobNames(), []);
  await fixture.clock.advance(60_000);
  assert.deepEqual(fixture.clock.now(), DUE); // with delays between the runs, some Jobs would start later
  await eventually(async () => assert.equal((await fixture.jobs()).length, 20));
});

test('the local time of a run changes when daylight saving begins or ends', async () => {
  const year = new Date().getUTCFullYear() + 1;
  const berlin = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' });
  for (const { time, localTime } of [
    { time: `${year}-01-15T08:00:00.000Z`, localTime: '09:00' },
    { time: `${year}-07-15T08:00:00.000Z`, localTime: '10:00' },
  ]) {
    const fixture = await start(new Date(time));
    await fixture.createCronJob({ schedule: '0 8 * * *', startingDeadlineSeconds: 60 });
    await using _operator = await fixture.startOperator();
    await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(new Date(time))]));
    const [job] = await fixture.jobs();
    assert.equal(berlin.format(new Date(job?.metadata.annotations?.[SCHEDULED_AT] ?? '')), localTime);
  }
});

test('the status does not show that no Job can start', async () => {
  const fixture = await start(DUE);
  const labels = { app: 'not a valid label!' };
  await fixture.createCronJob({ jobTemplate: { ...SPEC.jobTemplate, metadata: { labels } } });
  await using _operator = await fixture.startOperator();
  await eventually(() => assert.ok(fixture.log.errors.length > 0));
  assert.deepEqual(await fixture.status(), { active: [] });
});
