import { expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';

test('a slot that waits is not lost to what an earlier pass decided and could not store', () => {
  const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid' } as const;
  const world = new CoreWorld(cronJob(spec));
  world.pass(at('00:01:00'));
  // A hundred and more are missed, but the status that says so is lost.
  const missed = world.pass(at('03:00:30'), { losesStatus: true });
  expect(missed.decision).toBe('TooManyMissed');
  world.edit({ startingDeadlineSeconds: 120 });
  const blocked = world.pass(at('03:00:40'));
  expect(blocked.decision).toBe('Blocked');
  world.finish(at('03:00:50'));
  expect(world.pass(at('03:00:51')).created).toEqual([`hello-${Date.parse(at('03:00:00')) / 1000}`]);
});
