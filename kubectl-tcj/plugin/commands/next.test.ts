import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob, type CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { runTcj } from '../../../test/support/run-tcj.ts';

/** Runs `next` at midnight with this many CronJobs. */
async function next(count: number, spec: Partial<CronJobSpec>): Promise<string> {
  await using server = await FakeApiServer.start();
  for (let index = 0; index < count; index++) {
    const { metadata, ...rest } = cronJob(spec);
    server.put(CronJob, { ...rest, metadata: { ...metadata, name: `hello-${index}` } });
  }
  const terminal = new CapturedTerminal();
  await runTcj(server, ['next'], { terminal, clock: new FakeClock(at('00:00:00')) });
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
