/**
 * A real Prometheus scrapes the real manager, and alerts on the manager itself fire and resolve. The rules here have no minimum duration.
 */
import { describe, expect, test } from 'vitest';
import { Watched } from './support/watched.ts';

describe('a real Prometheus sees', () => {
  test('CronJobControllerLate fire while a run is due and nobody has looked at it', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    await watched.patchStatus({ nextScheduleTime: new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, '') });
    await watched.fires('CronJobControllerLate');
    await watched.scene.edit({ schedule: '@every 20000h' }); // causes a pass without a due slot
    await watched.resolves('CronJobControllerLate');
  });

  test('CronJobControllerDown fire when the manager was killed, and resolve when the next one leads', async () => {
    await using watched = await Watched.open();
    await watched.resolves('CronJobControllerDown'); // the alert may have fired before the manager led
    await watched.killManager();
    const { labels } = await watched.fires('CronJobControllerDown');
    expect(labels).toEqual({ alertname: 'CronJobControllerDown', severity: 'critical' });
    watched.restartManager();
    await watched.resolves('CronJobControllerDown');
  });
});
