import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { NAMESPACE, PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest } from './cron-jobs.ts';

/** Enough that their minute is not over at once. */
const FLEET_SIZE = 200;
const MINUTE_S = 60;

/** Two replicas: whatever becomes of the one that leads, each run starts, once. */
export const failover: Chapter = (operator) => {
  const names = Array.from({ length: FLEET_SIZE }, (_, index) => `fleet-${index}`);

  /** CronJobs that are due every minute; their Jobs are suspended, as Pods would add nothing but time. */
  async function createFleet(): Promise<void> {
    const create = (name: string) => {
      const manifest = cronJobManifest(name, { schedule: '* * * * *' }, { job: { suspend: true } });
      return operator().client.create(cronJobs, JSON.parse(manifest));
    };
    await Promise.all(names.map(create));
  }

  async function deleteFleet(): Promise<void> {
    await Promise.all(names.map((name) => operator().client.delete(cronJobs, { namespace: WORK_NAMESPACE, name })));
  }

  /** Names of all Jobs of the fleet, in unix seconds of their slots. */
  async function slotsOf(): Promise<ReadonlyMap<string, readonly number[]>> {
    const slots = new Map<string, number[]>(names.map((name) => [name, []]));
    for (const { metadata } of await operator().client.list(jobs, { namespace: WORK_NAMESPACE })) {
      const [, name = '', slot] = /^(fleet-\d+)-(\d+)$/.exec(metadata.name) ?? [];
      slots.get(name)?.push(Number(slot));
    }
    return slots;
  }

  /** Waits for the next minute, lets `happen` happen when its first Jobs are there, and then for the Jobs of all. */
  async function inTheNextMinute(happen: (leader: string) => Promise<void>): Promise<void> {
    const leader = await operator().leader();
    const holder = await operator().leaseHolder();
    const slot = (Math.floor(Date.now() / 1000 / MINUTE_S) + 1) * MINUTE_S;
    const started = async () => [...(await slotsOf()).values()].filter((slots) => slots.includes(slot)).length;
    await eventually(async () => expect(await started()).toBeGreaterThan(0), { ...PATIENCE, intervalMs: 10 });
    await happen(leader);
    await eventually(async () => expect(await started()).toBe(FLEET_SIZE), PATIENCE);
    await eventually(async () => expect(await operator().leaseHolder()).not.toBe(holder), PATIENCE);
    await eventually(async () => {
      const last = await lastSlots();
      expect(last).toHaveLength(FLEET_SIZE);
      expect(Math.min(...last)).toBeGreaterThanOrEqual(slot);
    }, PATIENCE);
  }

  /** What the statuses say was started last. */
  async function lastSlots(): Promise<readonly number[]> {
    const fleet = await operator().client.list(cronJobs, { namespace: WORK_NAMESPACE });
    return fleet
      .filter(({ metadata }) => names.includes(metadata.name))
      .map(({ status }) => Date.parse(status?.lastScheduleTime ?? '') / 1000);
  }

  describe('when the leader goes in a busy minute', () => {
    test('by a crash, the other replica takes over', async () => {
      await createFleet();
      await inTheNextMinute((leader) => operator().site.crash(leader));
    });

    test('because its Pod is deleted, the other replica takes over', async () => {
      await operator().isReady();
      await inTheNextMinute(async (leader) => {
        await operator().kubectl('delete', 'pod', leader, `--namespace=${NAMESPACE}`);
      });
      await operator().isReady();
    });

    test('no run is lost, and none is there twice', async () => {
      const slots = await slotsOf();
      const newest = Math.max(...[...slots.values()].flat());
      for (const [name, found] of slots) {
        const sorted = found.toSorted((left, right) => left - right);
        const expected = sorted.map((_, index) => (sorted[0] ?? Number.NaN) + index * MINUTE_S);
        expect(sorted, name).toEqual(expected);
        expect(sorted.at(-1), name).toBeGreaterThanOrEqual(newest - MINUTE_S);
      }
      await deleteFleet();
    });
  });
};
