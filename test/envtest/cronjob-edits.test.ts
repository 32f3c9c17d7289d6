/** Edits, with the time from the `managedFields` of a real API server. */
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { ManagedFields } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';

const HOUR_MS = 3_600_000;

/** The API server does not record a time for a field that a client only removes. */
const listEditTimes = (entries: readonly ManagedFields[] = []) => entries.map(({ time }) => time);

/** Dates the schedule back, so that many slots lie between that time and now. */
async function backdateSchedule(scene: Scene): Promise<void> {
  const { metadata, spec, status } = await scene.cronJob();
  const since = formatTime(new Date(Date.parse(metadata.creationTimestamp) - 20 * HOUR_MS));
  const effectiveSchedule = { schedule: spec.schedule, timeZone: spec.timeZone ?? 'UTC', since };
  await scene.client.updateStatus(cronJobs, { metadata, status: { ...status, effectiveSchedule } });
}

describe('an edit, on a real API server', () => {
  test('starts no run', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' });
    await backdateSchedule(scene);
    await scene.edit({ schedule: '0 * * * *' });
    await scene.startManager();
    await scene.waitUntilObserved();
    expect(await scene.jobs()).toEqual([]);
    const { status, metadata } = await scene.cronJob();
    expect(status?.effectiveSchedule).toMatchObject({ schedule: '0 * * * *' });
    const since = Date.parse(status?.effectiveSchedule?.since ?? '');
    expect(since).toBeGreaterThanOrEqual(Date.parse(metadata.creationTimestamp));
  });

  test('without an edit the newest slot starts', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 * * * *' });
    await backdateSchedule(scene);
    await scene.startManager();
    await scene.waitForJobs(1);
  });

  test('loses no slot between the edit and a late reconcile', async () => {
    await using scene = await Scene.open();
    const first = await scene.startManager();
    await scene.createCronJob({ schedule: '0 0 1 1 *' });
    await scene.waitUntilObserved();
    await scene.stopManager(first);
    await scene.edit({ schedule: '* * * * *' });
    const slot = await scene.passNextMinute();
    await scene.startManager();
    await scene.waitForJob(slot);
  });

  test('that removes the time zone starts no run, though the same client made an unrelated edit before', async () => {
    await using scene = await Scene.open();
    const { nextMinute } = scene;
    // Due at the next minute in UTC, and hours later in Tokyo.
    const schedule = `${nextMinute.getUTCMinutes()} ${nextMinute.getUTCHours()} * * *`;
    const first = await scene.startManager();
    const { metadata } = await scene.createCronJob({ schedule, timeZone: 'Asia/Tokyo' });
    let failedJobsHistoryLimit = 1;
    await eventually(async () => {
      await scene.edit({ failedJobsHistoryLimit: ++failedJobsHistoryLimit });
      expect(listEditTimes((await scene.cronJob()).metadata.managedFields)).not.toContain(metadata.creationTimestamp);
    });
    await scene.waitUntilObserved();
    const before = (await scene.cronJob()).metadata.managedFields;
    await scene.stopManager(first);
    await scene.passNextMinute();
    await scene.patch({ spec: { timeZone: null } });
    expect(listEditTimes((await scene.cronJob()).metadata.managedFields)).toEqual(listEditTimes(before));
    await scene.startManager();
    await scene.waitUntilObserved();
    expect(await scene.jobs()).toEqual([]);
    const since = (await scene.cronJob()).status?.effectiveSchedule?.since ?? '';
    expect(Date.parse(since)).toBeGreaterThan(nextMinute.getTime());
  });
});
