import { expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at } from '../../test/support/cron-jobs.ts';
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
