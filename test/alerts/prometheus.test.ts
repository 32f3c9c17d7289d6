/**
 * A real Prometheus scrapes the real manager, and alerts on the manager itself fire and resolve. The rules here have no minimum duration.
 */
import { describe, expect, test } from 'vitest';
import { MonitoredManager } from './support/monitored-manager.ts';

describe('a real Prometheus', () => {
  test('fires CronJobControllerLate while no manager handles a due run', async () => {
    await using monitored = await MonitoredManager.open();
    await monitored.createObservedCronJob();
    await monitored.patchStatus({
      nextScheduleTime: new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, ''),
    });
    await monitored.waitUntilFiring('CronJobControllerLate');
    await monitored.scene.edit({ schedule: '@every 20000h' }); // causes a reconcile without a due slot
    await monitored.waitUntilResolved('CronJobControllerLate');
  });

  test('fires CronJobControllerDown after the manager is killed, and resolves it when the next one leads', async () => {
    await using monitored = await MonitoredManager.open();
    await monitored.waitUntilResolved('CronJobControllerDown'); // the alert may have fired before the manager led
    await monitored.killManager();
    const { labels } = await monitored.waitUntilFiring('CronJobControllerDown');
    expect(labels).toEqual({ alertname: 'CronJobControllerDown', severity: 'critical' });
    monitored.restartManager();
    await monitored.waitUntilResolved('CronJobControllerDown');
  });
});
