import { describe, expect, test } from 'vitest';
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
});
