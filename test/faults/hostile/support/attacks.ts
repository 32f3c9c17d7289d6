import { describe, test } from 'vitest';
import { commandLineTarget } from './command-line-target.ts';
import { linesTarget } from './lines-target.ts';
import { reconcileTarget } from './reconcile-target.ts';
import { createReviewsTarget } from './reviews-target.ts';
import { largeRulesTarget, rulesTarget } from './rules-target.ts';
import { attack, attackAsync } from './target.ts';
import { serveWebhooks } from './webhook-server.ts';

type HostileAttack = readonly [where: string, many: number, few: number, run: (inputs: number) => void | Promise<void>];

/** Half a million inputs together, few enough for every run. */
const ATTACKS: readonly HostileAttack[] = [
  ['lines of the status', 339_000, 4_000, (inputs) => attack(linesTarget, inputs)],
  ['the rules of the webhooks', 109_000, 1_500, (inputs) => attack(rulesTarget, inputs)],
  ['the rules of the webhooks, with large objects', 1_000, 20, (inputs) => attack(largeRulesTarget, inputs)],
  ['command lines', 80_000, 2_000, (inputs) => attack(commandLineTarget, inputs)],
  ...[0, 1, 2, 3, 4].map((part): HostileAttack => {
    return [`reconciles, part ${part}`, 10_000, 100, (inputs) => attack(reconcileTarget, inputs, { part })];
  }),
  ['admission reviews', 10_000, 500, attackWebhooks],
];

/** Registers a test for each part that reads untrusted input. A failure prints the seed that repeats it. */
export function testHostileInputs(extent: 'many' | 'few'): void {
  describe('hostile inputs cause no error, hang or effect on other objects', () => {
    test.each(ATTACKS)('in %s', (_, many, few, run) => run(extent === 'many' ? many : few));
  });
}

async function attackWebhooks(inputs: number): Promise<void> {
  await using webhooks = await serveWebhooks();
  await attackAsync(await createReviewsTarget(webhooks), inputs);
}
