/** The fast part of test/faults/hostile/in-process.test.ts: so few hostile inputs that they fit into every run. */
import { describe, test } from 'vitest';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { commandLineTarget } from '../hostile/support/command-line-target.ts';
import { kubeconfigTarget } from '../hostile/support/kubeconfig-target.ts';
import { linesTarget } from '../hostile/support/lines-target.ts';
import { nullsTarget } from '../hostile/support/nulls-target.ts';
import { passTarget } from '../hostile/support/pass-target.ts';
import { reviewsTarget } from '../hostile/support/reviews-target.ts';
import { largeRulesTarget, rulesTarget } from '../hostile/support/rules-target.ts';
import { scheduleTarget } from '../hostile/support/schedule-target.ts';
import { attack, attackAsync } from '../hostile/support/target.ts';
import { watchTarget } from '../hostile/support/watch-target.ts';
import { serveWebhooks } from '../hostile/support/webhook-server.ts';

describe('nothing throws, hangs, or disturbs another', () => {
  test('in schedules', () => attack(scheduleTarget, 4_000));
  test('in lines of the status', () => attack(linesTarget, 4_000));
  test('in objects with nulls', () => attack(nullsTarget, 2_000));
  test('in the rules of the webhooks', () => attack(rulesTarget, 1_500));
  test('in those rules, with large objects', () => attack(largeRulesTarget, 20));
  test('in command lines', () => attack(commandLineTarget, 2_000));
  test('in kubeconfigs', () => attack(kubeconfigTarget(), 500));
  test('in passes', () => attack(passTarget, 500));

  test.each([cronJobs, jobs])('in watch events of $plural', async (resource) => {
    const target = await watchTarget(resource);
    await attackAsync(target, 2_000);
    await target.close();
  });

  test('in admission reviews', async () => {
    await using webhooks = await serveWebhooks();
    await attackAsync(await reviewsTarget(webhooks), 500);
  });
});
