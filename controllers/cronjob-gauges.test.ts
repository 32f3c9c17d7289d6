import { MetricsRegistry } from 'controller-runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { CronJobGauges } from './cronjob-gauges.ts';

/** Gauges over a cache that the test fills. Leading, unless told otherwise. */
function gaugesOver(cached: readonly CronJob[], max?: number) {
  const registry = new MetricsRegistry();
  const cronJobs = new Map<string, CronJob>();
  const put = (object: CronJob) => void cronJobs.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
  for (const object of cached) put(object);
  const gauges = new CronJobGauges({ registry, cronJobs, max });
  const stopping = new AbortController();
  const lead = () => gauges.start(stopping.signal);
  onTestFinished(() => stopping.abort());
  const series = async () => {
    const { body } = await registry.render();
    return body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  return { cronJobs, put, lead, stop: () => stopping.abort(), series };
}

const named = (namespace: string, name: string) => cronJob({}, undefined, { namespace, name });
/** The CronJobs that have series. */
const shown = (series: readonly string[]) =>
  series.filter((line) => line.startsWith('cronjob_suspended')).map((line) => /\{(.*)\}/.exec(line)?.[1]);

test('shows times in seconds since 1970, running Jobs, and whether it is suspended', async () => {
  const { series, lead } = gaugesOver([
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
  void lead();
  expect(await series()).toEqual([
    'cronjob_next_schedule_timestamp_seconds{namespace="default",name="hello"} 1767225601',
    'cronjob_last_schedule_timestamp_seconds{namespace="default",name="hello"} 1767225602',
    'cronjob_last_success_timestamp_seconds{namespace="default",name="hello"} 1767225603',
    'cronjob_last_failure_timestamp_seconds{namespace="default",name="hello"} 1767225604',
    'cronjob_active_jobs{namespace="default",name="hello"} 2',
    'cronjob_suspended{namespace="default",name="hello"} 1',
    'cronjob_metrics_omitted 0',
  ]);
});

test('has no time to show of a CronJob without a status', async () => {
  const { series, lead } = gaugesOver([cronJob()]);
  void lead();
  expect(await series()).toEqual([
    'cronjob_active_jobs{namespace="default",name="hello"} 0',
    'cronjob_suspended{namespace="default",name="hello"} 0',
    'cronjob_metrics_omitted 0',
  ]);
});

test('follows the cache', async () => {
  const { cronJobs, put, series, lead } = gaugesOver([named('a', 'x'), named('a', 'y')]);
  void lead();
  await series();
  cronJobs.delete('a/x');
  put(cronJob({ suspend: true }, undefined, { namespace: 'a', name: 'y' }));
  put(named('b', 'z'));
  expect((await series()).filter((line) => line.startsWith('cronjob_suspended'))).toEqual([
    'cronjob_suspended{namespace="a",name="y"} 1',
    'cronjob_suspended{namespace="b",name="z"} 0',
  ]);
});

describe('while others lead', () => {
  test('shows nothing', async () => {
    expect(await gaugesOver([cronJob()]).series()).toEqual([]);
  });

  test('shows nothing any more once it has stopped', async () => {
    const { series, lead, stop } = gaugesOver([cronJob()]);
    const stopped = lead();
    expect(await series()).not.toEqual([]);
    stop();
    await stopped;
    expect(await series()).toEqual([]);
  });
});

describe('with more CronJobs than may have series', () => {
  const many = [named('b', 'a'), named('a', 'c'), named('a', 'b'), named('a', 'a')];

  test('shows the first by namespace and name, and how many it left out', async () => {
    const { series, lead } = gaugesOver(many, 3);
    void lead();
    const lines = await series();
    expect(shown(lines)).toEqual(['namespace="a",name="a"', 'namespace="a",name="b"', 'namespace="a",name="c"']);
    expect(lines).toContain('cronjob_metrics_omitted 1');
  });

  test('shows none when none may, and counts all', async () => {
    const { series, lead } = gaugesOver(many, 0);
    void lead();
    expect(await series()).toEqual(['cronjob_metrics_omitted 4']);
  });

  test('takes 1000 for too many unless told otherwise', async () => {
    const { series, lead } = gaugesOver(Array.from({ length: 1001 }, (_, index) => named('a', `x${index}`)));
    void lead();
    const lines = await series();
    expect(shown(lines)).toHaveLength(1000);
    expect(lines).toContain('cronjob_metrics_omitted 1');
  });

  test('leaves none out when there are just as many', async () => {
    const { series, lead } = gaugesOver(many, 4);
    void lead();
    const lines = await series();
    expect(shown(lines)).toHaveLength(4);
    expect(lines).toContain('cronjob_metrics_omitted 0');
  });
});
