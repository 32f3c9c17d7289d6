import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import { CoreWorld, manualJobName, withRunNow } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';

describe('run now', () => {
  test('starts one run for each new value, and looks at the schedule again at once', () => {
    const world = withRunNow('first');
    expect(world.reconcile(at('00:10:00'))).toMatchObject({
      created: [manualJobName('first')],
      requeue: 'normal',
      status: { lastManualRun: 'first', activeCount: 1, nextScheduleTime: at('01:00:00') },
      reasons: ['SuccessfulCreate'],
    });
    expect(world.reconcile(at('00:10:01')).created).toEqual([]);
    world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    expect(world.reconcile(at('00:11:00'))).toMatchObject({
      created: [manualJobName('second')],
      status: { lastManualRun: 'second' },
    });
  });

  test('the name depends on the CronJob and on the value', () => {
    const other = cronJob({}, undefined, { uid: 'another' });
    expect(new Set([manualJobName('a'), manualJobName('b'), toManualJobName(other, 'a')]).size).toBe(3);
  });

  test('a value that is there at first sight is remembered and starts nothing', () => {
    const world = new CoreWorld(cronJob({}, undefined, { annotations: { [RUN_NOW_ANNOTATION]: 'restored' } }));
    expect(world.reconcile(at('00:10:00'))).toMatchObject({ created: [], status: { lastManualRun: 'restored' } });
    expect(world.reconcile(at('00:10:01')).created).toEqual([]);
  });

  test('a value that was set after the creation starts a run, even in the first reconcile of the CronJob', () => {
    const managedFields = [
      { time: at('00:00:00'), fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${RUN_NOW_ANNOTATION}`]: {} } } } },
    ];
    const world = new CoreWorld(
      cronJob({}, undefined, { annotations: { [RUN_NOW_ANNOTATION]: 'first' }, managedFields }),
    );
    expect(world.reconcile(at('00:10:00'))).toMatchObject({
      created: [manualJobName('first')],
      status: { lastManualRun: 'first' },
    });
    expect(world.reconcile(at('00:10:01')).created).toEqual([]);
  });

  describe('of a value that is long', () => {
    const long = 'x'.repeat(254);
    const hash = createHash('sha256').update(long).digest('hex');

    test('a long value starts one run, and the status keeps its hash', () => {
      const world = withRunNow(long);
      expect(world.reconcile(at('00:10:00'))).toMatchObject({
        created: [manualJobName(long)],
        status: { lastManualRun: `sha256:${hash}` },
      });
      expect(world.reconcile(at('00:10:01'))).toMatchObject({
        created: [],
        status: { lastManualRun: `sha256:${hash}` },
      });
      world.annotate({ [RUN_NOW_ANNOTATION]: `${long}x` });
      expect(world.reconcile(at('00:11:00')).created).toEqual([manualJobName(`${long}x`)]);
    });

    test('the status keeps the hash when it was brought along', () => {
      const world = new CoreWorld(cronJob({}, undefined, { annotations: { [RUN_NOW_ANNOTATION]: long } }));
      expect(world.reconcile(at('00:10:00'))).toMatchObject({
        created: [],
        status: { lastManualRun: `sha256:${hash}` },
      });
      expect(world.reconcile(at('00:10:01')).created).toEqual([]);
    });
  });

  test('a manual run counts in history and results, and never changes lastScheduleTime', () => {
    const world = withRunNow('first', { successfulJobsHistoryLimit: 0 });
    world.reconcile(at('00:10:00'));
    world.finish(at('00:12:00'));
    const { status, reasons, deleted } = world.reconcile(at('00:12:01'));
    expect(status).toMatchObject({
      lastSuccessfulTime: at('00:12:00'),
      lastRun: { jobName: manualJobName('first'), result: 'Succeeded' },
    });
    expect(status).not.toHaveProperty('lastScheduleTime');
    expect(status.lastRun).not.toHaveProperty('scheduledTime');
    expect(reasons).toEqual(['SawCompletedJob', 'SuccessfulDelete']);
    expect(deleted).toEqual([manualJobName('first')]);
    expect(world.reconcile(at('00:12:03')).created).toEqual([]);
  });

  test('works though the schedule cannot be read, or its zone is unknown', () => {
    const spec = { schedule: 'every day', timeZone: 'Mars/Olympus' };
    expect(withRunNow('first', spec).reconcile(at('00:10:00')).created).toEqual([manualJobName('first')]);
  });

  test('starts nothing when the CronJob is being deleted', () => {
    const world = withRunNow('first');
    world.cronJob = { ...world.cronJob, metadata: { ...world.cronJob.metadata, deletionTimestamp: at('00:05:00') } };
    expect(world.reconcile(at('00:10:00'))).toMatchObject({ created: [], decision: 'NothingDue' });
  });

  test('under Replace it replaces what is active', () => {
    const world = withRunNow('first', { concurrencyPolicy: 'Replace' });
    world.reconcile(at('00:10:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    expect(world.reconcile(at('00:11:00'))).toMatchObject({
      created: [manualJobName('second')],
      deleted: [manualJobName('first')],
    });
  });

  test('after a crash between the create and the status write, nothing is started or replaced again', () => {
    const world = withRunNow('first', { concurrencyPolicy: 'Replace', successfulJobsHistoryLimit: 0 });
    world.reconcile(at('00:10:00'), { crashes: true });
    world.finish(at('00:10:30'));
    // The Job is the only record that the value was handled: it stays until the status records it.
    expect(world.reconcile(at('00:11:00'), { crashes: true })).toMatchObject({ created: [], deleted: [] });
    expect(world.reconcile(at('00:11:01'))).toMatchObject({
      created: [],
      deleted: [manualJobName('first')],
      status: { lastManualRun: 'first' },
    });
    expect(world.reconcile(at('00:11:02')).created).toEqual([]);
  });

  test('a Job of another owner with the name of the run settles the value, with one event', () => {
    const world = withRunNow('first');
    const started = { kind: 'Foreign', jobName: manualJobName('first') } as const;
    expect(world.reconcile(at('00:10:00'), { started })).toMatchObject({
      status: { lastManualRun: 'first' },
      reasons: ['FailedCreate'],
    });
    expect(world.reconcile(at('00:10:01')).reasons).toEqual([]);
  });
});
