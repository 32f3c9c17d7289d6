import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { runTcj } from '../../../test/support/run-tcj.ts';

test('--at explains a local time that a clock change skips', async () => {
  await using server = await FakeApiServer.start();
  server.put(CronJob, cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' }));
  const terminal = new CapturedTerminal();
  const clock = new FakeClock('2026-03-30T12:00:00Z');
  await runTcj(server, ['why', 'hello', '--at', '2026-03-29 02:30'], { terminal, clock });
  expect(terminal.texts.out.replace(/\s+/g, ' ')).toMatch(
    /^In Europe\/Berlin, 2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00\. Sun 2026-03-29 03:30 Europe\/Berlin is not in its schedule/,
  );
});
