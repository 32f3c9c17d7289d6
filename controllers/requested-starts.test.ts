import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { RequestedStarts } from './requested-starts.ts';

describe('inTurn', () => {
  /** Starts three actions. The second throws an error. @returns What happened, in order. */
  async function runActions(keys: readonly string[]): Promise<readonly string[]> {
    const starts = new RequestedStarts();
    const log: string[] = [];
    const actions = keys.map((key, index) =>
      starts.inTurn(key, async () => {
        log.push(`begin ${index}`);
        await setImmediate();
        log.push(`end ${index}`);
        if (index === 1) throw new Error('failed');
      }),
    );
    await Promise.allSettled(actions);
    return log;
  }

  test('runs one action of a CronJob at a time, also after an action that failed', async () => {
    expect(await runActions(['a', 'a', 'a'])).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  test('does not let CronJobs wait for each other', async () => {
    expect((await runActions(['a', 'b', 'c'])).slice(0, 3)).toEqual(['begin 0', 'begin 1', 'begin 2']);
  });
});

describe('recentJobs', () => {
  const active = buildJob('2026-01-01T01:00:00Z');
  const ended = buildJob('2026-01-01T02:00:00Z', { state: 'Complete' });
  const names = [active.metadata.name, ended.metadata.name, 'never-created'];

  function setup() {
    const starts = new RequestedStarts();
    for (const name of names) starts.add('default/hello', name);
    const reads: string[] = [];
    const client = {
      get: async (_: unknown, { name }: { readonly name: string }) => {
        reads.push(name);
        return [active, ended].find(({ metadata }) => metadata.name === name) as never;
      },
    };
    return { starts, reads, client };
  }

  test('has the Jobs that were started: a finished Job once, so that its result is not older than the Job', async () => {
    const { starts, reads, client } = setup();
    expect(await starts.recentJobs(cronJob(), [], client)).toEqual([active, ended]);
    expect(await starts.recentJobs(cronJob(), [], client)).toEqual([active]);
    expect(reads).toEqual([...names, active.metadata.name]);
  });

  test('has no Jobs of a CronJob that is gone', async () => {
    const { starts, reads, client } = setup();
    starts.forget('default/hello');
    expect(starts.has('default/hello')).toBe(false);
    expect(await starts.recentJobs(cronJob(), [], client)).toEqual([]);
    expect(reads).toEqual([]);
  });

  test('has a finished Job until its Pods are gone', async () => {
    const { starts } = setup();
    const terminatingJob = { ...ended, status: { ...ended.status, terminating: 1 } };
    const client = { get: async () => terminatingJob as never };
    await starts.recentJobs(cronJob(), [], client);
    expect(await starts.recentJobs(cronJob(), [], client)).toContain(terminatingJob);
  });

  test('reads no Job that the cache has, because a read that fails would forget the result of the Job', async () => {
    const { starts, reads, client } = setup();
    expect(await starts.recentJobs(cronJob(), [active, ended], client)).toEqual([]);
    expect(reads).toEqual(['never-created']);
  });
});
