import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest } from './cron-jobs.ts';

const WORK_NAMESPACE_FLAG = `--namespace=${WORK_NAMESPACE}`;
const CRD = 'customresourcedefinition/cronjobs.batch.tutorial.kubebuilder.io';
const PROPERTIES = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';

/** The API server calls the webhooks through their Service. */
export const webhooks: Chapter = (operator) => {
  describe('the webhooks', () => {
    test('refuse a schedule that the schema admits', async () => {
      const invalid = cronJobManifest('refused', { schedule: '61 * * * *' });
      await expect(operator().apply(invalid)).rejects.toThrow(/spec\.schedule: Invalid value: "61 \* \* \* \*"/);
      expect(await operator().kubectlInWork('get', 'tcj', '--output=name')).toBe('');
    });

    test('refuse a Job template that the API server refuses in a dry run', async () => {
      const invalid = cronJobManifest('refused', {}, { job: { backoffLimit: -1 } });
      await expect(operator().apply(invalid)).rejects.toThrow(
        /spec\.jobTemplate\.spec\.backoffLimit: Invalid value: -1/,
      );
    });

    test('set defaults, also defaults that the CRD lacks', async () => {
      // The new default shows when the API server has noticed the change.
      const changes = [
        { op: 'remove', path: `${PROPERTIES}/concurrencyPolicy/default` },
        { op: 'replace', path: `${PROPERTIES}/suspend/default`, value: true },
      ];
      await operator().kubectl('patch', CRD, '--type=json', `--patch=${JSON.stringify(changes)}`);
      const manifest = cronJobManifest('defaulted', {});
      await eventually(async () => {
        await operator().apply(manifest);
        const [{ spec } = { spec: {} }] = await operator().get('tcj', 'defaulted', WORK_NAMESPACE_FLAG);
        await operator().kubectlInWork('delete', 'tcj', 'defaulted');
        expect(spec).toMatchObject({ suspend: true, concurrencyPolicy: 'Allow' });
      });
      await operator().apply(await operator().site.manifests(inject('site').image));
    });
  });
};
