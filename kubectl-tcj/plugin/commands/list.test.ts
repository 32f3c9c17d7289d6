import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { runTcj } from '../../../test/support/run-tcj.ts';

test.each([
  ['shows how many schedules a CronJob has', ['30 4 * * 6', '@monthly'], '30 2 * * * (+2)'],
  ['shows the schedule alone with an empty list of schedules', [], '30 2 * * *'],
])('%s', async (_, schedules, shownText) => {
  await using server = await FakeApiServer.start();
  server.put(CronJob, cronJob({ schedule: '30 2 * * *', schedules }));
  const run = async (...args: readonly string[]) => {
    const terminal = new CapturedTerminal();
    await runTcj(server, ['list', ...args], { terminal, clock: new FakeClock(at('00:00:00')) });
    return terminal.texts.out;
  };
  expect(await run()).toContain(`   ${shownText}   UTC\n`);
  const [listed] = JSON.parse(await run('-o', 'json'));
  expect(listed).toMatchObject({ schedule: '30 2 * * *' });
  expect(listed.schedules).toEqual(schedules.length > 0 ? schedules : undefined);
});
