/** The operator starts with the objects that a crash leaves. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { batch } from 'controller-runtime';
import { eventually, startTestEnvironment } from 'controller-runtime/testing';
import { manifests } from '../../cmd/manifests.ts';
import { buildJob } from '../../controllers/cron-job-jobs.ts';
import { DUE, Fixture, HOUR_MS, jobName } from './fixture.ts';

const environment = await startTestEnvironment(manifests);
after(() => environment.stop());

test('after a crash between the creation of a Job and the status write, no run starts twice', async () => {
  const fixture = new Fixture(environment, await environment.createNamespace(), DUE);
  const cronJob = await fixture.createCronJob();
  const job = await environment.client.create(batch.v1.jobs, buildJob(cronJob, DUE)); // the status does not list the Job
  await using _operator = await fixture.startOperator();
  await eventually(async () => assert.equal((await fixture.status())?.lastScheduleTime, DUE.toISOString()));
  assert.deepEqual(
    (await fixture.status())?.active?.map(({ name }) => name),
    [jobName(DUE)],
  );

  await fixture.clock.advance(HOUR_MS);
  const next = new Date(DUE.getTime() + HOUR_MS);
  await eventually(async () => assert.deepEqual(await fixture.jobNames(), [jobName(DUE), jobName(next)]));
  assert.ok((await fixture.jobs()).some(({ metadata }) => metadata.uid === job.metadata.uid));
  assert.deepEqual(fixture.log.errors, []); // the operator did not try to create the Job again
});
