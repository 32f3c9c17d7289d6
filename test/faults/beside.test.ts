/** Faults that take minutes, or that affect only one namespace: each has its own manager, and all run at the same time. */
import { describe, test } from 'vitest';
import { Random } from '../simulation/random.ts';
import { testUnansweredRequests } from './beside/requests.ts';
import { testBrokenFirstReads, testSilentWatches } from './beside/watches.ts';
import { testHangingDryRuns, testHangingWebhooks } from './beside/webhooks.ts';
import { createFileRig } from './support/file-rig.ts';
import type { FaultResultRow } from './support/results.ts';
import type { Rig } from './support/rig.ts';
import { SEED } from './support/seed.ts';

const scene = createFileRig('beside');

describe.concurrent('nothing is lost, doubled, or stays idle', () => {
  test.each<readonly [when: string, scenario: (rig: Rig, random: Random) => Promise<readonly FaultResultRow[]>]>([
    ['open watches become silent', testSilentWatches],
    ['the first read breaks, and deletes are missed', testBrokenFirstReads],
    ['requests are never answered', testUnansweredRequests],
    ['webhooks of other operators do not respond', testHangingWebhooks],
    ['dry runs of our webhooks get no response', testHangingDryRuns],
  ])('when %s', async (_, scenario) => void scene.rows.push(...(await scenario(scene.rig, new Random(SEED)))));
});

test('every status is correct at the end', () => scene.rig.expectCorrectStatuses());
