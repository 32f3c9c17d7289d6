import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { type Manifest, parseManifests } from '../../support/manifests.ts';
import { PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, runManually } from './cron-jobs.ts';
import { undeploy } from './removal.ts';

/** The objects that a Pod of the manager needs to start. */
const POD_DEPENDENCIES = ['Namespace', 'ServiceAccount', 'PriorityClass', 'Deployment'];

/** The namespace comes first in each order: namespaced objects cannot be applied before it. */
const ORDERS: Readonly<Record<string, (manifests: readonly Manifest[]) => readonly Manifest[]>> = {
  'in reverse': (manifests) => sortFirst(['Namespace'], manifests.toReversed()),
  'the manager before its roles, its CRD and its webhooks': (manifests) =>
    sortFirst(POD_DEPENDENCIES, manifests.toReversed()),
};

/** The objects of install.yaml, one at a time and in other orders than in the file. */
export const anyOrder: Chapter = (operator) => {
  /** Waits until the manager has started with the existing objects: otherwise timing would decide which objects it lacks at its start. */
  async function waitUntilRunning(): Promise<void> {
    await eventually(async () => {
      const states = (await operator().allPods()).map(({ status }) => status?.containerStatuses?.[0]?.state);
      expect(states).toEqual(Array(2).fill({ running: expect.anything() }));
    }, PATIENCE);
  }

  describe('the objects of install.yaml, applied one by one', () => {
    test.each(Object.entries(ORDERS))('%s, install a working operator', async (_, sort) => {
      const manifests = sort(parseManifests(await operator().site.manifests(inject('site').image)));
      const missing = new Set(POD_DEPENDENCIES);
      for (const manifest of manifests) {
        await operator().apply(JSON.stringify(manifest));
        if (missing.delete(manifest.kind) && missing.size === 0) await waitUntilRunning();
      }
      await operator().waitUntilReady();
      await eventually(async () => {
        const errors = operator().apply(cronJobManifest('refused', { schedule: '61 * * * *' }));
        await expect(errors).rejects.toThrow(/spec\.schedule: Invalid value/);
      }, PATIENCE);
      await operator().apply(cronJobManifest('worked', {}));
      expect(await runManually(operator(), 'worked', 'once')).toMatchObject({ lastRun: { result: 'Succeeded' } });
      expect(Object.values(await operator().countRestarts())).toEqual([0, 0]);
      await undeploy();
      await eventually(async () => expect(await operator().listTraces()).toEqual([]), PATIENCE);
    });
  });
};

/** The objects of the given kinds, in this order, and then all others. */
function sortFirst(kinds: readonly string[], manifests: readonly Manifest[]): readonly Manifest[] {
  const rank = ({ kind }: Manifest) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  return manifests.toSorted((left, right) => rank(left) - rank(right));
}
