/** CronJobs that cost much where all is counted, and those that cost nothing. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewObject } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { cronJob } from '../../support/cron-jobs.ts';
import type { Row } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { EVERY_SECONDS, Tenant } from '../support/tenant.ts';

const BOUND_MS = 120_000;
const YEAR_MS = 365 * 24 * 3_600_000;
const RESTORED = 'restored';
/** Of ten years back. */
const OLD = 2;
const OLD_MS = 10 * YEAR_MS;
/** Neighbours of those that were restored. To count 300 million slots takes half a minute. */
const MAX_LATE_MS = 15_000;
/** So many slots of the neighbours are looked at. */
const SLOTS = 3;
/** A year ahead: more than timers take. */
const FAR = 300;
const LOOK_MS = 10_000;
/** Of one processor, beside two or three passes a second, which take 0.02. With a timer for each that fires at once it would be 0.4. */
const MAX_CPU = 0.15;

/** CronJobs that are due each second come back with statuses of years ago: their neighbours run in time. */
export async function slotsOfYears(rig: Rig): Promise<Row> {
  const { client } = rig;
  const tenant = await Tenant.open(rig, { namespace: 'slots-of-years' });
  await rig.createNamespace(RESTORED);
  for (let index = 0; index < OLD; index++) await restore(rig, `old-${index}`);
  await tenant.startManager({ alsoSees: [RESTORED] });
  await tenant.manager.current.logged('controller started');
  const sinceMs = Date.now() + EVERY_SECONDS * 1000;
  await sleep((SLOTS + 1) * EVERY_SECONDS * 1000);
  await tenant.runsAfter(sinceMs, BOUND_MS);
  await eventually(async () => {
    const owners = (await client.list(jobs, { namespace: RESTORED })).map(
      ({ metadata }) => metadata.ownerReferences?.[0]?.name,
    );
    expect(new Set(owners).size).toBe(OLD);
  });
  const lateMs = await tenant.latestStartSince(sinceMs);
  console.info(`beside slots of years, runs started ${lateMs} ms late at most`);
  expect(lateMs).toBeLessThan(MAX_LATE_MS);
  expect(tenant.manager.ends).toEqual([]);
  for (const { metadata } of await client.list(cronJobs, { namespace: RESTORED })) {
    await client.delete(cronJobs, metadata, { propagationPolicy: 'Background' });
  }
  await slotsFarAhead(rig, tenant);
  return tenant.row('beside CronJobs with ten years of slots due, and with the next slot a year ahead', {
    beganMs: sinceMs,
  });
}

async function restore({ client }: Rig, name: string): Promise<void> {
  const created = await client.create(cronJobs, scheduled(RESTORED, name, '@every 1s'));
  const then = formatTime(new Date(Date.now() - OLD_MS));
  const body = {
    status: {
      lastScheduleTime: then,
      handledThrough: then,
      effectiveSchedule: { schedule: '@every 1s', timeZone: 'UTC', since: then },
    },
  };
  await client.patch(cronJobs, created.metadata, { kind: 'merge', body }, { subresource: 'status' });
}

/** CronJobs whose next slot is a year ahead cost nothing. */
async function slotsFarAhead({ client }: Rig, tenant: Tenant): Promise<void> {
  const names = Array.from({ length: FAR }, (_, index) => `far-${index}`);
  await Promise.all(names.map((name) => client.create(cronJobs, scheduled(RESTORED, name, '@every 8760h'))));
  await eventually(
    async () => {
      const all = await client.list(cronJobs, { namespace: RESTORED });
      const known = all.filter(({ status }) => status?.nextScheduleTime !== undefined);
      expect(known.length).toBeGreaterThanOrEqual(FAR);
    },
    { timeoutMs: BOUND_MS, intervalMs: 500 },
  );
  const { pid } = tenant.manager.current;
  const before = cpuSeconds(pid);
  await sleep(LOOK_MS);
  const cpu = (cpuSeconds(pid) - before) / (LOOK_MS / 1000);
  console.info(`with slots far ahead the manager takes ${(100 * cpu).toFixed(0)} % of a processor`);
  expect(cpu).toBeLessThan(MAX_CPU);
  // What Node writes there itself is a warning.
  expect(tenant.manager.current.lines.filter(({ text }) => text !== undefined)).toEqual([]);
}

function scheduled(namespace: string, name: string, schedule: string): NewObject<CronJob> {
  const { apiVersion, kind, spec } = cronJob({ schedule });
  return { apiVersion, kind, metadata: { namespace, name }, spec };
}

/** Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Of a process so far, in seconds: fields 14 and 15 of its line, of which the second may hold blanks. */
function cpuSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
