import { formatKey, MetricsRegistry } from 'controller-runtime';
import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../api/v1/groupversion.ts';
import { at, buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { CronJobGauges } from './cronjob-gauges.ts';

/** A map with the interface of a store. */
const listed = (objects: Map<string, CronJob>) => Object.assign(objects, { list: () => [...objects.values()] });

interface Options {
  readonly max?: number;
  readonly jobs?: readonly Job[];
}

/** Gauges of the leader, over a cache that the test fills. */
function gaugesOver(cached: readonly CronJob[], { max, jobs: cachedJobs = [] }: Options = {}) {
  const registry = new MetricsRegistry();
  const clock = new FakeClock(at('12:00:00'));
  const cronJobs = new Map(cached.map((object) => [formatKey(object.metadata), object]));
  const jobs = new Map(cachedJobs.map((job) => [formatKey(job.metadata), job]));
  const gauges = new CronJobGauges({ registry, cronJobs: listed(cronJobs), jobs, clock, max });
  /** The lines with this prefix. */
  const series = async (beginning = '') => {
    const { body } = await registry.render();
    return body.split('\n').filter((line) => line !== '' && !line.startsWith('#') && line.startsWith(beginning));
  };
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const lead = () => gauges.start(stopping.signal);
  return { clock, cronJobs, series, lead, stop: () => stopping.abort() };
}

/** The series of these CronJobs. */
async function seriesOf(cached: readonly CronJob[], beginning = '', options: Options = {}) {
  const { series, lead } = gaugesOver(cached, options);
  void lead();
  return series(beginning);
}

const named = (namespace: string, name: string) => cronJob({}, undefined, { namespace, name });
/** The CronJobs that have series. */
const shown = (series: readonly string[]) =>
  series.filter((line) => line.startsWith('cronjob_suspended')).map((line) => /\{(.*)\}/.exec(line)?.[1]);

test('shows times in seconds since 1970, running Jobs, and whether it is suspended', async () => {
  const lines = await seriesOf([
    cronJob(
      { suspend: true },
      {
        active: [{ name: 'one' }, { name: 'two' }],
        nextScheduleTime: '2026-01-01T00:00:01Z',
        lastScheduleTime: '2026-01-01T01:00:02+01:00',
        lastSuccessfulTime: '2026-01-01T00:00:03Z',
        lastFailureTime: '2026-01-01T00:00:04Z',
      },
    ),
  ]);
  expect(lines).toEqual([
    'cronjob_next_schedule_timestamp_seconds{namespace="default",name="hello"} 1767225601',
    'cronjob_last_schedule_timestamp_seconds{namespace="default",name="hello"} 1767225602',
    'cronjob_last_success_timestamp_seconds{namespace="default",name="hello"} 1767225603',
    'cronjob_last_failure_timestamp_seconds{namespace="default",name="hello"} 1767225604',
    'cronjob_active_jobs{namespace="default",name="hello"} 2',
    'cronjob_suspended{namespace="default",name="hello"} 1',
    'cronjob_earliest_next_schedule_timestamp_seconds 1767225601',
    'cronjob_metrics_omitted 0',
  ]);
});

test('has no time to show of a CronJob without a status', async () => {
  expect(await seriesOf([cronJob()])).toEqual([
    'cronjob_active_jobs{namespace="default",name="hello"} 0',
    'cronjob_suspended{namespace="default",name="hello"} 0',
    'cronjob_metrics_omitted 0',
  ]);
});

test('each scrape reads the gauges from the cache', async () => {
  const { cronJobs, series, lead } = gaugesOver([named('a', 'x'), named('a', 'y')]);
  void lead();
  await series();
  cronJobs.delete('a/x');
  cronJobs.set('a/y', cronJob({ suspend: true }, undefined, { namespace: 'a', name: 'y' }));
  cronJobs.set('b/z', named('b', 'z'));
  expect(await series('cronjob_suspended')).toEqual([
    'cronjob_suspended{namespace="a",name="y"} 1',
    'cronjob_suspended{namespace="b",name="z"} 0',
  ]);
});

test('shows nothing while others lead, and nothing any more once it has stopped', async () => {
  const { series, lead, stop } = gaugesOver([cronJob()]);
  expect(await series()).toEqual([]);
  const stopped = lead();
  expect(await series()).not.toEqual([]);
  stop();
  await stopped;
  expect(await series()).toEqual([]);
});

describe('with more CronJobs than may have series', () => {
  const many = [named('b', 'a'), named('a', 'c'), named('a', 'b'), named('a', 'a')];

  test('shows the first by namespace and name, and how many it left out', async () => {
    const lines = await seriesOf(many, '', { max: 3 });
    expect(shown(lines)).toEqual(['namespace="a",name="a"', 'namespace="a",name="b"', 'namespace="a",name="c"']);
    expect(lines).toContain('cronjob_metrics_omitted 1');
  });

  test('shows none when none may, and counts all', async () => {
    expect(await seriesOf(many, '', { max: 0 })).toEqual(['cronjob_metrics_omitted 4']);
  });

  test.each([
    ['1000 by default', Array.from({ length: 1001 }, (_, index) => named('a', `x${index}`)), {}, 1000, 1],
    ['all when there are just as many', many, { max: 4 }, 4, 0],
  ])('shows %s', async (_, cronJobs, options, count, omitted) => {
    const lines = await seriesOf(cronJobs, '', options);
    expect(shown(lines)).toHaveLength(count);
    expect(lines).toContain(`cronjob_metrics_omitted ${omitted}`);
  });
});

test('is suspended until spec.suspendUntil, by the clock of the manager', async () => {
  const { series, lead, clock } = gaugesOver([cronJob({ suspendUntil: at('12:00:10') })]);
  void lead();
  await clock.advance(9_999);
  expect(await series('cronjob_suspended')).toEqual(['cronjob_suspended{namespace="default",name="hello"} 1']);
  await clock.advance(1);
  expect(await series('cronjob_suspended')).toEqual(['cronjob_suspended{namespace="default",name="hello"} 0']);
});

describe('overdue', () => {
  const withCondition = (status: 'True' | 'False' | 'Unknown') => {
    const times = { lastTransitionTime: at('00:00:00'), reason: 'Because', message: '' };
    const others = [{ type: 'Available', status: 'True', ...times }] as const;
    return cronJob({}, { conditions: [...others, { type: 'Overdue', status, ...times }] });
  };

  test.each([
    ['1 when the condition is True', withCondition('True'), [1]],
    ['0 when the condition is False', withCondition('False'), [0]],
    ['not shown when the condition is Unknown', withCondition('Unknown'), []],
    ['not shown without the condition', cronJob({}, { conditions: [] }), []],
    ['not shown without a status', cronJob(), []],
  ])('is %s', async (_, object, want) => {
    const lines = want.map((value) => `cronjob_overdue{namespace="default",name="hello"} ${value}`);
    expect(await seriesOf([object], 'cronjob_overdue')).toEqual(lines);
  });
});

describe('paused', () => {
  const status: CronJobStatus = { paused: { reason: 'TooManyFailures', since: at('00:00:00') } };

  test.each([
    ['1 when it is paused', cronJob({ pauseAfterFailures: 3 }, status), [1]],
    ['1 until the reconcile that ends it, when the field was removed', cronJob({}, status), [1]],
    ['0 when it may be paused and is not', cronJob({ pauseAfterFailures: 3 }), [0]],
    ['not shown without the field', cronJob(), []],
    // The API has null for an absent value.
    ['not shown when the field is null', cronJob({ pauseAfterFailures: null as never }), []],
  ])('is %s', async (_, object, want) => {
    const lines = want.map((value) => `cronjob_paused{namespace="default",name="hello"} ${value}`);
    expect(await seriesOf([object], 'cronjob_paused')).toEqual(lines);
  });
});

describe('a Job that waits for a Pod', () => {
  const started = (time: string, status: Job['status'] = {}): Job => {
    const job = buildJob(at(time));
    return { ...job, status: { ...job.status, ...status } };
  };
  const WAITING = 'cronjob_waiting_job_start_timestamp_seconds';

  /** The value of the gauge for a CronJob whose status lists exactly these Jobs as active. */
  async function waiting(jobs: readonly Job[], cached = jobs) {
    const active = jobs.map(({ metadata: { name } }) => ({ name }));
    const lines = await seriesOf([cronJob({}, { active })], WAITING, { jobs: cached });
    return lines.map((line) => Number(line.split(' ')[1]));
  }
  const unixTime = (time: string) => new Date(at(time)).getTime() / 1000;

  test('shows when it started, of several the one that waits longest', async () => {
    const jobs = ['11:58:00', '11:30:00', '11:40:00'].map((time) => started(time));
    expect(await waiting(jobs)).toEqual([unixTime('11:30:00')]);
  });

  test('counts from a minute on', async () => {
    expect(await waiting([started('11:59:01')])).toEqual([]);
    expect(await waiting([started('11:59:00')])).toEqual([unixTime('11:59:00')]);
  });

  test.each([
    ['has a Pod that is ready', started('11:00:00', { ready: 1 })],
    ['has a Pod that has succeeded', started('11:00:00', { succeeded: 1 })],
    ['has a Pod that has failed', started('11:00:00', { failed: 1 })],
    ['has finished', buildJob(at('11:00:00'), { state: 'Failed' })],
    ['is being deleted', buildJob(at('11:00:00'), { isBeingDeleted: true })],
    ['has not started, as it is suspended', { ...buildJob(at('11:00:00')), status: {} }],
  ])('does not wait when it %s', async (_, job) => {
    expect(await waiting([job])).toEqual([]);
  });

  test('waits on when it has timed out, until its Pods are gone', async () => {
    const conditions = [{ type: 'FailureTarget', status: 'True' }];
    const ending = started('11:00:00', { conditions });
    const annotations = { ...ending.metadata.annotations, [START_TIMEOUT_ANNOTATION]: 'no container started' };
    expect(await waiting([{ ...ending, metadata: { ...ending.metadata, annotations } }])).toEqual([
      unixTime('11:00:00'),
    ]);
    expect(await waiting([ending])).toEqual([]);
    const failed = started('11:00:00', { conditions: [...conditions, { type: 'Failed', status: 'True' }] });
    expect(await waiting([{ ...failed, metadata: { ...failed.metadata, annotations } }])).toEqual([]);
  });

  test('does not wait when it is not in the cache', async () => {
    expect(await waiting([started('11:00:00')], [])).toEqual([]);
  });

  test('does not wait when the status has null for its active Jobs', async () => {
    expect(await seriesOf([cronJob({}, { active: null as never })], WAITING)).toEqual([]);
  });
});

describe('the earliest next schedule', () => {
  const due = (name: string, time: string | undefined, metadata: Partial<CronJob['metadata']> = {}) =>
    cronJob({}, { nextScheduleTime: time && at(time) }, { name, ...metadata });
  const earliest = (cronJobs: readonly CronJob[]) => seriesOf(cronJobs, 'cronjob_earliest', { max: 0 });

  test('is that of all CronJobs, also of those without series', async () => {
    const [later, first, none] = [due('a', '12:00:01'), due('b', '11:00:00'), due('c', undefined)];
    expect(await earliest([later, first, none])).toEqual([
      `cronjob_earliest_next_schedule_timestamp_seconds ${new Date(at('11:00:00')).getTime() / 1000}`,
    ]);
  });

  test('is not that of one that is being deleted: it starts nothing any more', async () => {
    expect(await earliest([due('a', '11:00:00', { deletionTimestamp: at('10:00:00') })])).toEqual([]);
  });
});

test('shows what alerts ask for of every CronJob, however many may have series', async () => {
  const conditions = [
    { type: 'Overdue', status: 'True', lastTransitionTime: at('00:00:00'), reason: 'NoRecentSuccess', message: '' },
  ] as const;
  const job = buildJob(at('11:00:00'));
  const object = cronJob({ pauseAfterFailures: 1 }, { conditions, active: [{ name: job.metadata.name }] });
  expect(await seriesOf([object], '', { max: 0, jobs: [job] })).toEqual([
    'cronjob_overdue{namespace="default",name="hello"} 1',
    'cronjob_paused{namespace="default",name="hello"} 0',
    'cronjob_waiting_job_start_timestamp_seconds{namespace="default",name="hello"} 1767265200',
    'cronjob_metrics_omitted 1',
  ]);
});
