import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { parseManifests } from '../../support/manifests.ts';
import type { Chapter } from './chapter.ts';

/** install.yaml on an empty cluster. */
export const installation: Chapter = (operator) => {
  describe('install.yaml, applied once to an empty cluster', () => {
    test('is taken as a whole, in the order of the file', async () => {
      const manifests = await operator().site.manifests(inject('site').image);
      const said = await operator().apply(manifests);
      expect(said.filter((line) => !line.endsWith(' created'))).toEqual([]);
      expect(said).toHaveLength(parseManifests(manifests).length);
    });

    test('makes two replicas ready at the first start, one of which leads', async () => {
      await operator().isReady();
      const names = (await operator().pods()).map(({ metadata }) => metadata.name);
      expect(names).toContain(await operator().leader());
      expect(Object.values(await operator().restarts())).toEqual([0, 0]);
    });

    // All later calls of the webhooks depend on this.
    test('has the API server trust the certificate that the manager made', async () => {
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
