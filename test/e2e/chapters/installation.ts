import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { parseManifests } from '../../support/manifests.ts';
import type { Chapter } from './chapter.ts';

/** install.yaml on an empty cluster. */
export const installation: Chapter = (operator) => {
  describe('install.yaml, applied once to an empty cluster', () => {
    test('is accepted in the order of the file', async () => {
      const manifests = await operator().site.manifests(inject('site').image);
      const output = await operator().apply(manifests);
      expect(output.filter((line) => !line.endsWith(' created'))).toEqual([]);
      expect(output).toHaveLength(parseManifests(manifests).length);
    });

    test('starts two ready replicas, and one of them leads', async () => {
      await operator().waitUntilReady();
      const names = (await operator().pods()).map(({ metadata }) => metadata.name);
      expect(names).toContain(await operator().findLeader());
      expect(Object.values(await operator().countRestarts())).toEqual([0, 0]);
    });

    // All later calls of the webhooks depend on this.
    test("makes the API server trust the manager's certificate", async () => {
      await eventually(async () => {
        const configurations = await operator().get('mutatingwebhookconfigurations,validatingwebhookconfigurations');
        const bundles = configurations
          .filter(({ metadata }) => metadata.name.startsWith('cronjob-operator-'))
          .map(({ webhooks: [webhook] }) => atob(webhook.clientConfig.caBundle));
        expect(bundles).toEqual(Array(2).fill(expect.stringContaining('BEGIN CERTIFICATE')));
      });
    });
  });
};
