/** The core writes the statuses. */
import { describe, expect, test } from 'vitest';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { MISSED_REASONS, SKIPPED_REASONS } from '../../../api/v1/reasons.ts';
import { type CoreWorld, REFUSED } from '../../../test/support/core-world.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { reconcileAt, time, worldAfterReconciles } from '../../../test/support/reconciles-at.ts';
import { buildAgenda } from './agenda.ts';
import { computeState } from './cron-job-state.ts';
import { explainSkip } from './explain-skip.ts';
import type { PodReport, StartDelay } from './explanation.ts';
import { formatRemedy } from './remedy.ts';
import { describeManualRunWait } from './run-report.ts';
import { explainCronJob } from './why.ts';
import { explainTime } from './why-at.ts';

/** Job of the first run. */
const JOB = 'hello-1767229200';
const LOGS = `kubectl tcj logs hello -n default --run ${JOB}`;
const RESUME = 'kubectl tcj resume hello -n default';

function explain({ cronJob: given }: Pick<CoreWorld, 'cronJob'>, now: string, pods?: PodReport) {
  const { sentence, run, ...remedy } = explainCronJob(given, time(now), pods);
  return { sentence, run, toDo: formatRemedy(remedy) };
}

/** The API server refused its first run. */
function refused(): CoreWorld {
  const world = worldAfterReconciles({});
  world.reconcile(at('01:00:00'), { started: REFUSED });
  return world;
}

const PAUSED = worldAfterReconciles({ pauseAfterFailures: 1 }, '01:00', '01:05 Failed');

describe('the explanation of a CronJob', () => {
  test.each(
    Object.entries<readonly [given: Pick<CoreWorld, 'cronJob'>, now: string, sentence: RegExp, toDo?: RegExp]>({
      'no manager has reconciled it': [
        { cronJob: cronJob() },
        '00:00:10',
        /^No manager has reconciled the CronJob yet\.$/,
        /^check that the manager runs/,
      ],
      'it has not run yet': [
        worldAfterReconciles({}),
        '00:10',
        /^Nothing is wrong\. The CronJob has not run yet\. The next run is due Thu 2026-01-01 01:00 UTC \(in 50m\)\.$/,
      ],
      'its last run succeeded, with times in the zone of its schedule': [
        worldAfterReconciles({ timeZone: 'Europe/Berlin' }, '01:00', '01:03:05 Complete'),
        '01:10',
        /^Nothing is wrong\. The run of Thu 2026-01-01 02:00 Europe\/Berlin succeeded after 3m5s\. The next run is due Thu 2026-01-01 03:00 Europe\/Berlin \(in 50m\)\.$/,
      ],
      'its last run failed': [
        worldAfterReconciles({}, '01:00', '01:05 Failed'),
        '01:10',
        /^The run of Thu 2026-01-01 01:00 UTC failed after 5m\. The next run is due/,
        new RegExp(`^see its logs: ${LOGS}$`),
      ],
      'no manager has started a due run': [
        worldAfterReconciles({}),
        '01:03',
        /^The run of Thu 2026-01-01 01:00 UTC \(3m ago\) has not started, and no manager has reported why\. The CronJob has not run yet\.$/,
        /^check that the manager runs/,
      ],
      'its schedule is invalid': [
        worldAfterReconciles({ schedule: '61 * * * *' }),
        '00:10',
        /^It never runs: spec\.schedule: "61 \* \* \* \*": /,
        /^correct the schedule or the time zone$/,
      ],
      'the API server refuses its Job': [
        refused(),
        '01:10',
        /^A run cannot start: .*exceeded quota: pods\.$/,
        /^fix the cause; the run then starts/,
      ],
      'it is suspended': [
        worldAfterReconciles({ suspend: true }),
        '00:10',
        /^No run starts: spec\.suspend is true\.$/,
        new RegExp(`^${RESUME}$`),
      ],
      'it is suspended until a time': [
        worldAfterReconciles({ suspendUntil: at('06:00:00') }),
        '00:10',
        /^No run starts before Thu 2026-01-01 06:00 UTC \(in 5h50m\), because of spec\.suspendUntil\. The suspension skips 5 runs, the first at Thu 2026-01-01 01:00 UTC\.$/,
        new RegExp(`^${RESUME}$`),
      ],
      'it is suspended, and its schedule never fires': [
        worldAfterReconciles({ schedule: '0 0 31 2 *', suspend: true }),
        '00:10',
        /^No run starts: spec\.suspend is true\. The schedule matches no time within the next five years\.$/,
        new RegExp(`^correct the schedule, then resume the CronJob: ${RESUME}$`),
      ],
      'it is paused': [
        PAUSED,
        '03:05',
        /^The CronJob has been paused since Thu 2026-01-01 01:05 UTC \(120m ago\): the last run failed\. The run of/,
        new RegExp(`^fix the cause, then resume it: ${RESUME}$`),
      ],
      'it is paused, and a success is overdue': [
        worldAfterReconciles({ pauseAfterFailures: 1, expectSuccessWithinSeconds: 1800 }, '01:00', '01:05 Failed'),
        '03:05',
        /^The CronJob has been paused since Thu .* ago\): the last run failed\. The CronJob is overdue: no run has succeeded; .* The run of Thu .* failed/,
        new RegExp(`^fix the cause, then resume it: ${RESUME}$`),
      ],
      'a success is overdue, and the interval is too short': [
        worldAfterReconciles({ expectSuccessWithinSeconds: 1800, schedule: '0 3 * * *' }, '00:40'),
        '00:41',
        /^The CronJob is overdue: no run has succeeded; spec\.expectSuccessWithinSeconds is 1800\. The CronJob has not run yet\. The next run is due Thu 2026-01-01 03:00 UTC \(in 139m\)\.$/,
        /^expectSuccessWithinSeconds: 1800 is too short: no run is due between .*; give more than 86400 and the time that a run takes$/,
      ],
      'a success is overdue after an earlier success': [
        worldAfterReconciles({ expectSuccessWithinSeconds: 7200 }, '01:00', '01:05 Complete', '04:00'),
        '04:00:01',
        /^The CronJob is overdue: the last success was Thu 2026-01-01 01:05 UTC \(175m ago\); /,
        /^see its logs: /,
      ],
    }),
  )('%s', (_, [given, now, sentence, toDo]) => {
    const answer = explain(given, now);
    expect(answer.sentence).toMatch(sentence);
    if (toDo === undefined) expect(answer.toDo).toBeUndefined();
    else expect(answer.toDo).toMatch(toDo);
  });

  test('lists a CronJob that never fires and is suspended as suspended', () => {
    const off = worldAfterReconciles({ schedule: '0 0 31 2 *', suspend: true }).cronJob;
    expect(computeState(off, time('00:10'))).toBe('Suspended');
    expect(explainTime(off, time('00:05'), { now: time('00:10') }).sentence).toMatch(/^No run was scheduled up to /);
    expect(buildAgenda([off], { from: time('00:10'), until: time('03:00') })).toMatchObject({
      inactiveCronJobs: [off],
    });
  });

  test('reports a resume after a pause, before and after a manager reconciles it', () => {
    const world = worldAfterReconciles({ pauseAfterFailures: 1 }, '01:00', '01:05 Failed');
    world.annotate({ [RESUME_ANNOTATION]: at('03:05:00.500') });
    const { sentence, toDo } = explain(world, '03:05:10');
    expect(sentence).toBe(
      'The CronJob was resumed, but no manager has reconciled it yet. The run of Thu 2026-01-01 01:00 UTC failed after 5m. ' +
        'The next run is due Thu 2026-01-01 04:00 UTC (in 54m).',
    );
    expect(toDo).toContain(LOGS);
    reconcileAt(world, '03:05:12');
    const seen = explain(world, '03:05:15');
    expect(seen.sentence).toMatch(
      /^The CronJob was resumed at Thu 2026-01-01 03:05 UTC \(15s ago\)\. .* because the CronJob was paused .*\. The next run/,
    );
    expect(seen.toDo).toBeUndefined();
    reconcileAt(world, '04:00');
    expect(explain(world, '04:00:01').sentence).not.toContain('resumed');
  });

  test('reports a suspension and a resume that no manager has reconciled', () => {
    const world = worldAfterReconciles({});
    world.edit({ suspend: true });
    expect(explain(world, '00:10')).toEqual({
      sentence: 'No run starts: spec.suspend is true. No manager has reconciled the suspension yet.',
      toDo: RESUME,
    });
    reconcileAt(world, '00:10');
    world.edit({ suspend: false });
    expect(explain(world, '00:20')).toEqual({
      sentence:
        'The CronJob was resumed, but no manager has reconciled it yet. The CronJob has not run yet. ' +
        'The next run is due Thu 2026-01-01 01:00 UTC (in 40m).',
    });
  });

  test('reports a refused Job from before the suspension', () => {
    const world = refused();
    world.edit({ suspend: true });
    reconcileAt(world, '01:10');
    expect(explain(world, '01:10').sentence).toMatch(
      /^No run starts: spec\.suspend is true\. A run could not start: .*exceeded quota: pods\./,
    );
  });
});

describe('an active run', () => {
  const RUNS = `The run of Thu 2026-01-01 01:00 UTC is running, as Job ${JOB}.`;
  const NEXT = 'The next run is due Thu 2026-01-01 02:00 UTC (in 50m).';

  test('is reported with its logs', () => {
    expect(explain(worldAfterReconciles({}, '01:00'), '01:10')).toEqual({
      sentence: `${RUNS} ${NEXT}`,
      toDo: `see its logs: ${LOGS}`,
      run: { jobName: JOB, result: 'Running', createdTime: time('01:00') },
    });
  });

  test('is reported in addition to a later skipped time', () => {
    const world = worldAfterReconciles(
      { concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 },
      '01:00',
      '02:00',
      '02:02',
    );
    expect(explain(world, '02:10')).toMatchObject({
      sentence: expect.stringMatching(/^Thu .* 02:00 UTC did not run, .*\. The run of .* 01:00 UTC is running, /),
      run: { jobName: JOB, result: 'Running' },
    });
  });

  test('is reported by its Job if the status lists no runs, and so is its result', () => {
    const world = worldAfterReconciles({ recentRunsLimit: 0 }, '01:00');
    const { sentence, run } = explain(world, '01:10');
    expect({ sentence, run }).toEqual({
      sentence: `Job ${JOB} is running. ${NEXT}`,
      run: { jobName: JOB, result: 'Running' },
    });
    reconcileAt(world, '01:20 Failed');
    expect(explain(world, '01:30')).toMatchObject({
      sentence: expect.stringMatching(/^Job hello-1767229200: Failed\. The next/),
      run: { jobName: JOB, result: 'Failed' },
    });
  });

  test('is reported with the wait of its Pods', () => {
    const world = worldAfterReconciles({}, '01:00');
    const pods = { jobName: JOB, sentence: 'Its Pod a is Pending.', remedy: { change: 'look at a' } };
    expect(explain(world, '01:10', pods)).toMatchObject({
      sentence: `${RUNS} Its Pod a is Pending. ${NEXT}`,
      toDo: 'look at a',
    });
    expect(explain(world, '01:10', { ...pods, jobName: 'another' }).sentence).not.toContain('Pod');
  });

  test.each([[10], [0]])('is reported as not started, when the status lists at most %s runs', (recentRunsLimit) => {
    const startDelay = { since: at('01:01:00'), cause: 'it has no Pod' };
    const pods = { jobName: JOB, sentence: '', startDelay, remedy: { change: 'look at it' } };
    const name = recentRunsLimit === 0 ? `Job ${JOB}` : `The run of Thu 2026-01-01 01:00 UTC, Job ${JOB},`;
    expect(explain(worldAfterReconciles({ recentRunsLimit }, '01:00'), '01:10', pods)).toMatchObject({
      sentence: `${name} has not started for 9m: it has no Pod. ${NEXT}`,
      toDo: 'look at it',
    });
  });

  test.each([[10], [0]])(
    'is reported as failed without Pods, when the status lists at most %s runs',
    (recentRunsLimit) => {
      const pods = { jobName: JOB, sentence: 'They are gone.', arePodsDeleted: true };
      const { sentence, toDo } = explain(
        worldAfterReconciles({ recentRunsLimit }, '01:00', '01:20 Failed'),
        '01:30',
        pods,
      );
      expect(sentence).toContain(' They are gone. ');
      expect(toDo).toBeUndefined();
    },
  );

  test('makes other runs wait until its Pods are gone', () => {
    const world = worldAfterReconciles({ concurrencyPolicy: 'Queue' }, '01:00', '02:00');
    world.finish(at('02:05:00'));
    world.jobs = world.jobs.map((job) => ({ ...job, status: { ...job.status, terminating: 1 } }));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
    reconcileAt(world, '02:05');
    const message =
      /Pods of hello-1767229200 are terminating; hello-m\w+, then hello-1767232800 will start after that \(concurrencyPolicy Queue\)/;
    expect(explain(world, '02:10').sentence).toMatch(
      new RegExp(`^The run of .* 01:00 UTC succeeded after \\S+\\. The ${message.source}\\. The next run`),
    );
    expect(computeState(world.cronJob, time('02:10'))).toBe('Waiting');
    expect(describeManualRunWait(world.cronJob, 'hello-m1')).toMatch(new RegExp(`^it waits: the ${message.source}$`));
  });

  test('makes other runs wait, including a manual run', () => {
    const world = worldAfterReconciles({ concurrencyPolicy: 'Forbid' }, '01:00', '02:00');
    expect(explain(world, '02:10').sentence).toMatch(
      / 01:00 UTC is running, as Job \S+\. The run of .* 02:00 UTC waits for the active run to end \(concurrencyPolicy Forbid\)\. The next/,
    );
    const toDo = (startDelay?: StartDelay) =>
      explain(world, '02:10', {
        ...{ jobName: JOB, sentence: '' },
        ...(startDelay && { startDelay, remedy: { change: 'check its events' } }),
      }).toDo;
    expect(toDo()).toBe(
      `if it hangs, delete Job ${JOB} so that the next run starts, and set activeDeadlineSeconds to end such runs; see its logs: ${LOGS}`,
    );
    expect(toDo({ since: at('01:00:00'), cause: 'it has no Pod' })).toBe(
      'set startTimeoutSeconds to end such runs, so that the next run can start; check its events',
    );
    world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
    reconcileAt(world, '02:20');
    expect(explain(world, '02:20').sentence).toContain(
      'A manual run, then the run of Thu 2026-01-01 02:00 UTC wait for the active run to end',
    );
    world.edit({ suspend: true });
    reconcileAt(world, '02:30');
    expect(explain(world, '02:30').sentence).toMatch(
      /^No run starts: spec\.suspend is true\. .* A manual run waits for the active run/,
    );
  });
});

describe('replaced runs', () => {
  test('are counted from two in a row on', () => {
    const world = worldAfterReconciles({ concurrencyPolicy: 'Replace' }, '01:00', '02:00');
    const once = explain(world, '02:10');
    expect(once.sentence).not.toContain('replaced each');
    expect(once.toDo).toMatch(/^see its logs: /);
    reconcileAt(world, '03:00');
    const { sentence, toDo } = explain(world, '03:10');
    expect(sentence).toBe(
      'The run of Thu 2026-01-01 03:00 UTC is running, as Job hello-1767236400. ' +
        'The next run replaced each of the previous 2 runs before it finished (concurrencyPolicy Replace). ' +
        'The next run is due Thu 2026-01-01 04:00 UTC (in 50m).',
    );
    expect(toDo).toMatch(
      /^if runs should finish, leave more time between them or set concurrencyPolicy to Forbid; see its logs/,
    );
    reconcileAt(world, '03:20 Complete');
    expect(explain(world, '03:30').sentence).not.toContain('replaced each');
  });

  test('are the last runs when no run is active', () => {
    const { cronJob: given } = worldAfterReconciles({ concurrencyPolicy: 'Replace' }, '01:00', '02:00', '03:00');
    const { active: _, ...others } = given.status ?? {};
    const status = { ...others, activeCount: 0, recentRuns: others.recentRuns?.slice(1) };
    expect(explain({ cronJob: { ...given, status } }, '03:10').sentence).toMatch(
      /^.* was replaced by a newer run \(concurrencyPolicy Replace\)\. The next run replaced each of the last 2 runs /,
    );
  });
});

test.each([...MISSED_REASONS, ...SKIPPED_REASONS])('explains every reason: %s', (reason) => {
  const skip = { firstTime: time('01:00'), lastTime: time('01:00'), count: 1, reason };
  expect(explainSkip(skip).cause).toMatch(/^(it|a|an|more|its|the) /);
});

test('names a reason of a later version', () => {
  const skip = { firstTime: time('01:00'), lastTime: time('01:00'), count: 1, reason: 'constructor' };
  expect(explainSkip(skip)).toEqual({ cause: 'of constructor' });
});
