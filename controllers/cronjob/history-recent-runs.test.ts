import { describe, expect, test } from 'vitest';
import { MAX_RECENT_LINE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, manualJobName, withRunNow } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';

const lineAt = (time: string, result: string, rest = '') => `${at(time)} ${result} ${jobNameAt(time)} Schedule${rest}`;

/** Runs at 01:00, 02:00 …, each finished after nine seconds. */
function afterRuns(count: number, spec: Parameters<typeof cronJob>[0] = {}): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  world.reconcile(at('00:00:00'));
  for (let hour = 1; hour <= count; hour++) {
    const time = `${String(hour).padStart(2, '0')}:00`;
    world.reconcile(at(`${time}:00`));
    world.finish(at(`${time}:09`));
    world.reconcile(at(`${time}:10`));
  }
  return world;
}
const linesOf = (world: CoreWorld) => world.cronJob.status?.recentRuns;

describe('the recent runs', () => {
  test('better: recentRuns lists a run from its start, and after its Job is gone', () => {
    const world = afterRuns(0);
    expect(world.reconcile(at('01:00:03')).status.recentRuns).toEqual([lineAt('01:00:00', 'Running', ' late=3s')]);
    world.finish(at('01:01:05'), 'Failed');
    const failed = [lineAt('01:00:00', 'Failed', ' late=3s took=1m2s')];
    expect(world.reconcile(at('01:01:06')).status.recentRuns).toEqual(failed);
    world.jobs = [];
    expect(world.reconcile(at('01:02:00')).status.recentRuns).toEqual(failed);
  });

  test('begin with the newest, and are as many as the limit says', () => {
    const newest = (hours: readonly string[]) => hours.map((hour) => lineAt(`${hour}:00:00`, 'Succeeded', ' took=9s'));
    expect(linesOf(afterRuns(12))).toEqual(newest(['12', '11', '10', '09', '08', '07', '06', '05', '04', '03']));
    expect(linesOf(afterRuns(5, { recentRunsLimit: 2 }))).toEqual(newest(['05', '04']));
    expect(linesOf(afterRuns(2, { recentRunsLimit: 0 }))).toBeUndefined();
  });

  test('follow a change of the limit', () => {
    const world = afterRuns(3);
    world.edit({ recentRunsLimit: 1 });
    expect(world.reconcile(at('03:10:00')).status.recentRuns).toHaveLength(1);
    world.edit({ recentRunsLimit: 10 });
    // Runs with existing Jobs are listed again.
    expect(world.reconcile(at('03:20:00')).status.recentRuns).toHaveLength(3);
    world.edit({ recentRunsLimit: 0 });
    expect(world.reconcile(at('03:30:00')).status.recentRuns).toBeUndefined();
  });

  test.each(['Complete', 'Failed'] as const)(
    'have an end that a reconcile has looked up (%s), when the cache has the Job as active later',
    (type) => {
      const world = afterRuns(0, { concurrencyPolicy: 'Forbid', startTimeoutSeconds: 1 });
      world.reconcile(at('01:00:00'));
      const { jobs } = world;
      world.finish(at('01:00:09'), type);
      const { status } = world.reconcile(at('01:00:10'));
      world.jobs = jobs;
      expect(world.reconcile(at('01:00:11'))).toMatchObject({ status, events: [] });
      expect(world.reconcile(at('02:00:00')).created).toEqual([jobNameAt('02:00:00')]);
    },
  );

  test('list a run whose Job vanished, and its end if the Job appears again', () => {
    const world = afterRuns(0);
    world.reconcile(at('01:00:00'));
    const { jobs } = world;
    world.jobs = [];
    expect(world.reconcile(at('01:10:00')).status.recentRuns).toEqual([lineAt('01:00:00', 'Unknown', ' JobDeleted')]);
    world.jobs = jobs;
    expect(world.reconcile(at('01:11:00')).status.recentRuns).toEqual([lineAt('01:00:00', 'Running')]);
    world.finish(at('01:12:00'));
    expect(world.reconcile(at('01:12:01')).status.recentRuns).toEqual([lineAt('01:00:00', 'Succeeded', ' took=12m0s')]);
  });

  test('recentRuns lists which runs were replaced', () => {
    const world = afterRuns(0, { concurrencyPolicy: 'Replace' });
    world.reconcile(at('01:00:00'));
    const lines = [lineAt('02:00:00', 'Running'), lineAt('01:00:00', 'Replaced')];
    expect(world.reconcile(at('02:00:00')).status.recentRuns).toEqual(lines);
    expect(world.reconcile(at('02:00:01')).status.recentRuns).toEqual(lines);
  });

  test('list a run as replaced while its Job still exists', () => {
    const world = afterRuns(0, { concurrencyPolicy: 'Replace' });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'), { crashes: true });
    const going = buildJob(at('01:00:00'), { isBeingDeleted: true });
    world.jobs = [...world.jobs, going];
    expect(world.reconcile(at('02:00:01')).status.recentRuns).toEqual([
      lineAt('02:00:00', 'Running'),
      lineAt('01:00:00', 'Replaced'),
    ]);
  });

  test('take no look at each Job for each other one that is being replaced', () => {
    let looks = 0;
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Replace' }));
    world.jobs = Array.from({ length: 300 }, (_, index) => {
      const job = buildJob(at('00:10:00'), { isBeingDeleted: true });
      const metadata = { ...job.metadata, name: `theirs-${index}`, uid: `uid-${index}`, annotations: {} };
      const creationTimestamp = {
        get: () => {
          looks++;
          return at('00:10:00');
        },
      };
      return { ...job, metadata: Object.defineProperty(metadata, 'creationTimestamp', creationTimestamp) };
    });
    world.reconcile(at('00:20:00'));
    expect(looks).toBeLessThan(20 * 300);
  });

  test('name runs by hand and those of others', () => {
    const world = withRunNow('by hand');
    world.reconcile(at('00:10:00'));
    const foreign = buildJob(at('00:20:00'));
    const { annotations: _, ...metadata } = foreign.metadata;
    world.jobs = [...world.jobs, { ...foreign, metadata: { ...metadata, name: 'theirs' } }];
    expect(world.reconcile(at('00:20:01')).status.recentRuns).toEqual([
      `${at('00:20:00')} Running theirs External`,
      `${at('00:10:00')} Running ${manualJobName('by hand')} Manual`,
    ]);
  });

  test('list which runs were replaced when both Jobs are gone', () => {
    const world = afterRuns(0);
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    world.cronJob = { ...world.cronJob, spec: { ...world.cronJob.spec, concurrencyPolicy: 'Replace' } };
    world.jobs = [];
    expect(world.reconcile(at('02:10:00')).status.recentRuns).toEqual([
      lineAt('02:00:00', 'Unknown', ' JobDeleted'),
      lineAt('01:00:00', 'Replaced'),
    ]);
  });

  test('stay as short as the API server allows when a long line is that of a Job that vanished', () => {
    const line = `${at('00:00:00')} Running ${'x'.repeat(MAX_RECENT_LINE_LENGTH - 38)} Schedule`;
    expect(line).toHaveLength(MAX_RECENT_LINE_LENGTH);
    const world = new CoreWorld(cronJob({}, { observedGeneration: 1, recentRuns: [line] }));
    const [after = ''] = world.reconcile(at('00:10:00')).status.recentRuns ?? [];
    expect(after).toHaveLength(MAX_RECENT_LINE_LENGTH);
    expect(after).toContain(' Unknown ');
  });

  test('keep lines that cannot be read, and words that are not known, until the list changes', () => {
    const world = afterRuns(1);
    const [line = ''] = world.cronJob.status!.recentRuns!;
    const status = {
      ...world.cronJob.status!,
      recentRuns: ['by a later version', `${line} node=n1`],
    };
    world.cronJob = { ...world.cronJob, status };
    expect(world.reconcile(at('01:30:00')).status).toEqual(status);
    expect(world.reconcile(at('02:00:00')).status.recentRuns).toEqual([
      lineAt('02:00:00', 'Running'),
      lineAt('01:00:00', 'Succeeded', ' took=9s'),
    ]);
  });
});

describe('a finished Job is deleted by the history limits', () => {
  test('only when its line has the result', () => {
    const world = afterRuns(0, { successfulJobsHistoryLimit: 0 });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:09'));
    expect(world.reconcile(at('01:00:10'), { losesStatus: true }).deleted).toEqual([]);
    expect(world.reconcile(at('01:00:11')).deleted).toEqual([jobNameAt('01:00:00')]);
    // A reconcile deletes nothing for a Job that is gone.
    expect(world.reconcile(at('01:00:12')).deleted).toEqual([]);
  });

  test('also when it is older than a full list, and without a list', () => {
    for (const recentRunsLimit of [0, 1]) {
      const world = afterRuns(2, { recentRunsLimit });
      world.edit({ successfulJobsHistoryLimit: 0 });
      expect(world.reconcile(at('02:30:00')).deleted).toEqual([jobNameAt('01:00:00'), jobNameAt('02:00:00')]);
    }
  });
});

test('how long runs took is counted once, when their results are stored', () => {
  const world = afterRuns(0);
  world.reconcile(at('01:00:00'));
  world.finish(at('01:00:09'));
  expect(world.reconcile(at('01:00:10'), { losesStatus: true }).finished).toEqual([]);
  expect(world.reconcile(at('01:00:11')).finished).toEqual([{ result: 'Succeeded', seconds: 9 }]);
  expect(world.reconcile(at('01:00:12')).finished).toEqual([]);
  world.annotate({ [RUN_NOW_ANNOTATION]: 'again' });
  world.reconcile(at('01:20:00'));
  // On the clock of another machine.
  world.finish(at('01:19:59'), 'Failed');
  expect(world.reconcile(at('01:20:02')).finished).toEqual([{ result: 'Failed', seconds: 0 }]);
});
