import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest } from './cron-jobs.ts';

/** Enough CronJobs that their minute takes a while. */
const FLEET_SIZE = 200;
const MINUTE_S = 60;
const NAMES = Array.from({ length: FLEET_SIZE }, (_, index) => `fleet-${index}`);

/** Two replicas: each run starts exactly once when the leader crashes. test/faults tests all other hand-overs. */
export const failover: Chapter = (operator) => {
  /** CronJobs that are due every minute. Their Jobs are suspended, because Pods would only take time. */
  async function createFleet(): Promise<void> {
    const { client } = operator(); // kubectl has a limit of five requests per second
    const create = (name: string) => {
      const manifest = cronJobManifest(name, { schedule: '* * * * *' }, { job: { suspend: true } });
      return client.create(cronJobs, JSON.parse(manifest));
    };
    await Promise.all(NAMES.map(create));
  }

  /** Names of the CronJobs, with the slots of their Jobs in Unix seconds. */
  async function listSlots(): Promise<ReadonlyMap<string, readonly number[]>> {
    const slots = new Map<string, number[]>(NAMES.map((name) => [name, []]));
    for (const { metadata } of await operator().client.list(jobs, { namespace: WORK_NAMESPACE })) {
      const [, name = '', slot] = /^(fleet-\d+)-(\d+)$/.exec(metadata.name) ?? [];
      slots.get(name)?.push(Number(slot));
    }
    return slots;
  }

  /** The last started slot in each status, in Unix seconds. */
  async function listLastSlots(): Promise<readonly number[]> {
    const fleet = await operator().client.list(cronJobs, { namespace: WORK_NAMESPACE });
    return fleet
      .filter(({ metadata }) => NAMES.includes(metadata.name))
      .map(({ status }) => Date.parse(status?.lastScheduleTime ?? '') / 1000);
  }

  test('when the leader crashes in a busy minute, the other replica takes over, and no run is lost or doubled', async () => {
    await createFleet();
    const leader = await operator().findLeader();
    const holder = await operator().getLeaseHolder();
    const slot = (Math.floor(Date.now() / 1000 / MINUTE_S) + 1) * MINUTE_S;
    const started = async () => [...(await listSlots()).values()].filter((slots) => slots.includes(slot)).length;
    await eventually(async () => expect(await started()).toBeGreaterThan(0), { ...PATIENCE, intervalMs: 10 });
    await operator().site.crash(leader);
    await eventually(async () => expect(await started()).toBe(FLEET_SIZE), PATIENCE);
    await eventually(async () => expect(await operator().getLeaseHolder()).not.toBe(holder), PATIENCE);
    await eventually(async () => {
      const last = await listLastSlots();
      expect(last).toHaveLength(FLEET_SIZE);
      expect(Math.min(...last)).toBeGreaterThanOrEqual(slot);
    }, PATIENCE);
    await operator().waitUntilReady();

    const slots = await listSlots();
    const newest = Math.max(...[...slots.values()].flat());
    for (const [name, found] of slots) {
      const sorted = found.toSorted((left, right) => left - right);
      const expected = sorted.map((_, index) => (sorted[0] ?? Number.NaN) + index * MINUTE_S);
      expect(sorted, name).toEqual(expected);
      expect(sorted.at(-1), name).toBeGreaterThanOrEqual(newest - MINUTE_S);
    }
    await Promise.all(NAMES.map((name) => operator().client.delete(cronJobs, { namespace: WORK_NAMESPACE, name })));
  });
};
