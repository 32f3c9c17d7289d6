/** One million hostile inputs for the parts that read what strangers write. A failure prints the seed that repeats it. */
import { describe, test } from 'vitest';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { commandLineTarget } from './support/command-line-target.ts';
import { kubeconfigTarget } from './support/kubeconfig-target.ts';
import { linesTarget } from './support/lines-target.ts';
import { nullsTarget } from './support/nulls-target.ts';
import { passTarget } from './support/pass-target.ts';
import { reviewsTarget } from './support/reviews-target.ts';
import { largeRulesTarget, rulesTarget } from './support/rules-target.ts';
import { scheduleTarget } from './support/schedule-target.ts';
import { attack, attackAsync } from './support/target.ts';
import { waitsTarget } from './support/waits-target.ts';
import { watchTarget } from './support/watch-target.ts';
import { serveWebhooks } from './support/webhook-server.ts';

describe('nothing throws, hangs, or disturbs another', () => {
  test('in schedules', () => attack(scheduleTarget, 330_000));
  test('in lines of the status', () => attack(linesTarget, 319_000));
  test('in objects with nulls', () => attack(nullsTarget, 20_000));
  test('in the rules of the webhooks', () => attack(rulesTarget, 109_000));
  test('in those rules, with large objects', () => attack(largeRulesTarget, 1_000));
  test('in command lines', () => attack(commandLineTarget, 80_000));
  test('in kubeconfigs', () => attack(kubeconfigTarget(), 20_000));
  test.each([0, 1, 2, 3, 4])('in passes, part %i', (part) => attack(passTarget, 10_000, { part }));

  test.each([cronJobs, jobs])('in watch events of $plural', async (resource) => {
    const target = await watchTarget(resource);
    await attackAsync(target, 30_000);
    await target.close();
  });

  test('in waits', async () => {
    const target = waitsTarget();
    await attackAsync(target, 1_000);
    target.close();
  });

  test('in admission reviews', async () => {
    await using webhooks = await serveWebhooks();
    await attackAsync(await reviewsTarget(webhooks), 10_000);
  });
});
