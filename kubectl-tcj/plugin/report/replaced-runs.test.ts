import { expect, test } from 'vitest';
import { CoreWorld } from '../../../test/support/core-world.ts';
import { at } from '../../../test/support/cron-jobs.ts';
import { why } from './why.ts';

const time = (text: string) => new Date(at(text));

test('it runs, and each run before was ended for the next one', () => {
  const world = CoreWorld.seen({ concurrencyPolicy: 'Replace' });
  world.pass(at('01:00:00'));
  world.pass(at('02:00:00'));
  const once = why(world.cronJob, time('02:10:00'));
  expect(once.sentence).not.toContain('ended for');
  expect(once.change).toBe('see what it prints');
  world.pass(at('03:00:00'));
  const { sentence, change } = why(world.cronJob, time('03:10:00'));
  expect(sentence).toBe(
    'The run of Thu 2026-01-01 03:00 UTC is running, as Job hello-1767236400. ' +
      'Each of the 2 runs before was ended for the next one before it was done (concurrencyPolicy Replace). ' +
      'The next one is due Thu 2026-01-01 04:00 UTC (in 50m).',
  );
  expect(change).toBe(
    'if runs should end by themselves, leave more time between them, or set concurrencyPolicy Forbid; see what it prints',
  );
  world.finish(at('03:20:00'));
  world.pass(at('03:20:00'));
  expect(why(world.cronJob, time('03:30:00')).sentence).not.toContain('ended for');
});

test('none runs: the run that is told of is one of those that were ended', () => {
  const world = CoreWorld.seen({ concurrencyPolicy: 'Replace' });
  for (const hour of ['01', '02', '03']) world.pass(at(`${hour}:00:00`));
  const { active: _, ...others } = world.cronJob.status ?? {};
  const status = { ...others, activeCount: 0, recentRuns: others.recentRuns?.slice(1) };
  expect(why({ ...world.cronJob, status }, time('03:10:00')).sentence).toMatch(
    /^.* was ended for a newer run \(concurrencyPolicy Replace\)\. Each of the last 2 runs was ended for the next one /,
  );
});
