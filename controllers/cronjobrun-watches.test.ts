/** Which CronJobRuns a change wakes. */
import { expect, test } from 'vitest';
import { REQUESTED_BY_ANNOTATION } from '../api/v1/groupversion.ts';
import { CRON_JOB, CronJobRunWorld, NAMESPACE } from '../test/support/cron-job-run-world.ts';
import { cronJobRun, MORNING, requestedJob } from '../test/support/cron-job-runs.ts';
import { mapCronJobToNextRuns, mapCronJobToRuns, mapJobToRuns, waitEnded } from './cronjobrun-watches.ts';

const built = (name: string, reason?: string, { age = 0, suspend = false, namespace = NAMESPACE } = {}) =>
  cronJobRun(
    { ...MORNING, suspend },
    {
      metadata: { namespace, name, uid: name, creationTimestamp: `2026-01-01T11:00:${59 - age}Z` },
      ...(reason && { status: { conditions: [{ type: 'Complete', status: 'False', reason, message: '' }] } as never }),
    },
  );
const namesOf = (requests: readonly { readonly name: string }[]) => requests.map(({ name }) => name).sort();

const RUNS = [
  built('running', 'Running'),
  built('new'),
  built('second', 'Waiting', { age: 1 }),
  built('first', 'Waiting', { age: 2 }),
  built('suspended', 'Waiting', { age: 3, suspend: true }),
  built('elsewhere', 'Waiting', { age: 4, namespace: 'other' }),
];
const store = { byIndex: () => RUNS };

test('a change of a CronJob that allows a start wakes the first CronJobRun that waits, and each that does not wait', () => {
  expect(namesOf(mapCronJobToNextRuns(store)(CRON_JOB))).toEqual(['first', 'new', 'running', 'suspended']);
  expect(namesOf(mapCronJobToRuns(store)(CRON_JOB))).toEqual(['first', 'new', 'running', 'second', 'suspended']);
});

test('a Job also wakes the CronJobRun that started it', () => {
  const job = requestedJob(built('second'), 'job');
  expect(job.metadata.annotations?.[REQUESTED_BY_ANNOTATION]).toBe('second');
  expect(namesOf(mapJobToRuns(job, mapCronJobToNextRuns(store)))).toContain('second');
});

test('a CronJobRun that no longer waits wakes the next one', () => {
  const [waiting, suspended] = [built('a', 'Waiting'), built('a', 'Waiting', { suspend: true })];
  for (const changed of [suspended, built('a', 'Running'), built('a', 'OverridesNotAllowed')])
    expect(waitEnded.onUpdate?.(waiting, changed)).toBe(true);
  expect(waitEnded.onUpdate?.(suspended, waiting)).toBe(false);
  expect(waitEnded.onUpdate?.(waiting, waiting)).toBe(false);
  expect([waitEnded.onAdd?.(waiting), waitEnded.onDelete?.(waiting)]).toEqual([false, true]);
});

test('Forbid: of many CronJobRuns that wait, a Job that ends wakes a few', async () => {
  await using world = await CronJobRunWorld.start({ concurrencyPolicy: 'Forbid' });
  await using running = await world.startManager();
  world.request({ manual: {} }, 'first');
  await world.untilState('Running', 'first');
  const waiting = Array.from({ length: 30 }, (_, index) => `waiting-${index}`);
  for (const name of waiting) {
    world.request({ manual: {} }, name);
    await world.untilState('Waiting', name);
  }
  const countReconciles = async () => {
    const { body } = await running.manager.metrics.registry.render();
    return [...body.matchAll(/^controller_runtime_reconcile_total\{[^}]*controller="cronjobrun"[^}]*\} (\d+)$/gm)]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  };
  const before = await countReconciles();
  expect(before).toBeGreaterThan(30); // at least one reconcile each
  world.finishJobs();
  await world.untilState('Succeeded', 'first');
  await world.server.until(() => world.activeJobs.length === 1);
  const [job] = world.activeJobs;
  await world.untilState('Running', job?.metadata.annotations?.[REQUESTED_BY_ANNOTATION] ?? '');
  // The reconciles of a new CronJobRun come after the reconciles that the changes above caused.
  world.request({ manual: {} }, 'later');
  await world.untilState('Waiting', 'later');
  expect((await countReconciles()) - before).toBeLessThan(15);
});
