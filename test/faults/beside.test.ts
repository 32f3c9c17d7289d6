/** Faults that take minutes, or that affect only one namespace: each has its own manager, and all run at the same time. */
import { describe, test } from 'vitest';
import { Random } from '../simulation/random.ts';
import { unansweredRequests } from './beside/requests.ts';
import { brokenFirstReads, silentWatches } from './beside/watches.ts';
import { dryRunsThatHang, hangingWebhooks } from './beside/webhooks.ts';
import type { Row } from './support/results.ts';
import type { Rig } from './support/rig.ts';
import { rigOfFile } from './support/rig-of-file.ts';
import { SEED } from './support/seed.ts';

const scene = rigOfFile('beside');

describe.concurrent('nothing is lost, doubled, or stays idle', () => {
  test.each<readonly [when: string, scenario: (rig: Rig, random: Random) => Promise<readonly Row[]>]>([
    ['watches fall silent and stay open', silentWatches],
    ['the first read of everything breaks, and deletes are missed', brokenFirstReads],
    ['requests are never answered', unansweredRequests],
    ['webhooks of others do not answer', hangingWebhooks],
    ['dry runs of our webhooks are not answered', dryRunsThatHang],
  ])('when %s', async (_, scenario) => void scene.rows.push(...(await scenario(scene.rig, new Random(SEED)))));
});

test('at last every status says what is true', () => scene.rig.endsWithTrueStatuses());
