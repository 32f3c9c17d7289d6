/** Deletes and status writes that are denied: what the books cost must not cost a run. */
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { AdmissionGate, JOB_CREATES, JOB_DELETES, STATUS_WRITES } from '../support/admission-gate.ts';
import { Scene } from '../support/scene.ts';

/** More than half an hour: a wake-up that is lost to a back-off is lost by then. */
const SLOTS = 35;
const DELETES_PER_HOUR = 10;
/** Of successful Jobs. */
const DEFAULT_HISTORY_LIMIT = 3;
const HOUR_MS = 3_600_000;

async function jobOf(scene: Scene, slot: string): Promise<Job> {
  return await scene.eventually(async () => {
    const found = (await scene.jobs()).find(({ metadata }) => metadata.name === `hello-${Date.parse(slot) / 1000}`);
    if (found === undefined) throw new Error(`the slot ${slot} has no Job`);
    return found;
  });
}

function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === 'Complete');
}

describe('housekeeping does not take the schedule with it', () => {
  test('deletes of Jobs that are denied cost no run, and at most ten calls an hour', async () => {
    await using scene = await Scene.open();
    const { client, namespace } = scene;
    await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [JOB_DELETES] });
    gate.verdict = () => 'deny';
    const manager = await scene.startManager();
    await scene.createCronJob({ successfulJobsHistoryLimit: 0 });
    await scene.observed();
    for (let slot = 0; slot < SLOTS; slot++) {
      await scene.finish(await jobOf(scene, await scene.passNextMinute()), 'Complete');
    }
    const denied = manager.requests('DELETE');
    expect(denied.length).toBeGreaterThan(0);
    expect(denied.length).toBeLessThanOrEqual(DELETES_PER_HOUR);
    expect(new Set(denied.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));

    gate.allowAll();
    await eventually(async () => {
      await scene.passNextMinute();
      expect((await scene.jobs()).filter(isFinished).length).toBe(0);
    });
  });

  test('status writes that are denied cost no run, and the status is right afterwards', async () => {
    await using scene = await Scene.open();
    const { client, namespace } = scene;
    await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [STATUS_WRITES] });
    await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    gate.verdict = () => 'deny';
    let slot = '';
    for (let count = 0; count < SLOTS; count++) {
      slot = await scene.passNextMinute();
      // Jobs beyond the history limit wait for the status that says how they ended.
      await scene.finish(await jobOf(scene, slot), 'Complete');
    }
    expect((await scene.cronJob()).status).not.toHaveProperty('lastScheduleTime');
    gate.allowAll();
    slot = await scene.passNextMinute();
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({
        activeCount: 1,
        lastScheduleTime: slot,
        lastSuccessfulTime: expect.any(String),
        lastRun: { scheduledTime: slot, result: 'Running' },
      });
    });
    await scene.hasJobs(DEFAULT_HISTORY_LIMIT + 1);
  });

  test('a create that fails once is made again within its minute while deletes are denied, and the next hour is in time', async () => {
    await using scene = await Scene.open();
    const { client, namespace } = scene;
    const rules = [JOB_CREATES, JOB_DELETES];
    await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules });
    let failures = 0;
    gate.verdict = ({ operation }) => {
      if (operation === 'DELETE') return 'deny';
      return failures-- > 0 ? 'fail' : 'allow';
    };
    await scene.startManager();
    await scene.createCronJob({ schedule: '0 * * * *', successfulJobsHistoryLimit: 0 });
    await scene.observed();
    for (let hour = 0; hour < 4; hour++) {
      const slot = await passNextHour(scene);
      await scene.finish(await jobOf(scene, slot), 'Complete');
    }
    failures = 1;
    const slot = await passNextHour(scene);
    await scene.clock.advance(1000);
    await jobOf(scene, slot);
    expect(scene.clock.now().getTime() - Date.parse(slot)).toBeLessThan(60_000);
    await jobOf(scene, await passNextHour(scene));
  });
});

/** Moves the clock to one second past the next full hour, minute by minute; returns that hour. */
async function passNextHour(scene: Scene): Promise<string> {
  const hourMs = (Math.floor(scene.clock.now().getTime() / HOUR_MS) + 1) * HOUR_MS;
  let passed = '';
  while (scene.clock.now().getTime() < hourMs) passed = await scene.passNextMinute();
  return passed;
}
