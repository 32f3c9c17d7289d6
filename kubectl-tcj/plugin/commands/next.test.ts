import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob, type CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { runTcj } from '../../../test/support/run-tcj.ts';

/** Runs `next` at midnight with this many CronJobs. */
async function next(count: number, spec: Partial<CronJobSpec>, ...args: readonly string[]): Promise<string> {
  await using server = await FakeApiServer.start();
  for (let index = 0; index < count; index++) {
    const { metadata, ...rest } = cronJob(spec);
    server.put(CronJob, { ...rest, metadata: { ...metadata, name: `hello-${index}` } });
  }
  const terminal = new CapturedTerminal();
  await runTcj(server, ['next', ...args], { terminal, clock: new FakeClock(at('00:00:00')) });
  return terminal.texts.out;
}

test('predicts what a jitter makes of the busiest minute', async () => {
  const out = await next(12, { schedule: '0 2 * * *' });
  expect(out).toMatch(
    /^Busiest minutes: Thu 2026-01-01 02:00 \(12 starts\)\nWith jitterSeconds: 1800, at most \d of the 12 runs of Thu 2026-01-01 02:00 would start in one minute\.\n/m,
  );
});

test('suggests no jitter for CronJobs for every minute', async () => {
  const out = await next(2, { schedule: '* * * * *' });
  expect(out).toContain('Busiest minutes: ');
  expect(out).not.toContain('jitterSeconds');
});

test('shows how many schedules a CronJob has', async () => {
  const spec = { schedule: '30 2 * * *', schedules: ['30 4 * * *', '@monthly'] };
  expect(await next(1, spec)).toMatch(/ 04:30 .* 30 2 \* \* \* \(\+2\)\n/);
  const { slots } = JSON.parse(await next(1, spec, '-o', 'json'));
  expect(slots[0]).toMatchObject({ schedule: '30 2 * * *', schedules: ['30 4 * * *', '@monthly'] });
  const single = JSON.parse(await next(1, { schedule: '30 2 * * *' }, '-o', 'json'));
  expect(Object.keys(single.slots[0])).toEqual(['time', 'namespace', 'name', 'schedule', 'timeZone']);
});
