import { describe, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';

const idle = { Available: 'True AllJobsCompleted', Progressing: 'False NoJobsActive', Degraded: 'False AsExpected' };
const busy = { Available: 'True JobsActive', Progressing: 'True JobsActive', Degraded: 'False AsExpected' };

describe('conditions on a real API server', () => {
  test('are there after the first pass, and follow the runs', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    expect(await scene.conditions()).toEqual(idle);
    await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
    await scene.eventually(async () => expect(await scene.conditions()).toEqual(busy));
    if (job) await scene.finish(job, 'Failed');
    await scene.eventually(async () => {
      expect(await scene.conditions()).toEqual({ ...idle, Degraded: 'True LastRunFailed' });
    });
    await scene.passNextMinute();
    const [, second] = await scene.hasJobs(2);
    if (second) await scene.finish(second, 'Complete');
    await scene.eventually(async () => expect(await scene.conditions()).toEqual(idle));
  });

  test('show what is wrong with the spec until it is fixed', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: '61 * * * *', suspend: true });
    await scene.observed();
    expect(await scene.conditions()).toMatchObject({
      Available: 'False UnparseableSchedule',
      Degraded: 'True UnparseableSchedule',
    });
    await scene.edit({ schedule: '0 * * * *' });
    await scene.observed();
    expect(await scene.conditions()).toEqual({ ...idle, Available: 'False Suspended' });
    await scene.edit({ suspend: false, timeZone: 'Mars/Olympus' });
    await scene.observed();
    expect(await scene.conditions()).toMatchObject({ Available: 'False UnknownTimeZone' });
    await scene.edit({ timeZone: 'Europe/Berlin', schedule: '0 0 31 2 *' });
    await scene.observed();
    expect(await scene.conditions()).toEqual({ ...idle, Degraded: 'True NeverFires' });
  });

  test('a status ahead of the clock is reported with its fix, and the fix works', async () => {
    await using scene = await Scene.open();
    const first = await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    // Else its cache may still be behind when the minute comes.
    await scene.stopManager(first);
    const { metadata, status } = await scene.cronJob();
    const lastScheduleTime = '2199-01-01T00:00:00Z';
    await scene.client.updateStatus(cronJobs, { metadata, status: { ...status, lastScheduleTime } });
    await scene.startManager();
    await scene.passNextMinute();
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('True ClockSkew'));
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toEqual(['ClockSkew']));
    expect(await scene.jobs()).toEqual([]);
    const skewed = await scene.cronJob();
    const { lastScheduleTime: _, ...fixed } = skewed.status ?? {};
    await scene.client.updateStatus(cronJobs, { metadata: skewed.metadata, status: fixed });
    await scene.eventually(async () => {
      await scene.clock.advance(61_000);
      expect((await scene.conditions())['Degraded']).toBe('False AsExpected');
    });
    await scene.eventually(async () => expect(await scene.jobs()).not.toEqual([]));
  });
});
