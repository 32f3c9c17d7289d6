import { expect, test } from 'vitest';
import type { Resource } from '../kubernetes/resource.ts';
import { pathOfWebhook } from './declaration.ts';

const cronJobs: Resource = {
  group: 'batch.tutorial.kubebuilder.io',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
};

test.each([
  ['mutating', cronJobs, '/mutate-batch-tutorial-kubebuilder-io-v1-cronjob'],
  ['validating', cronJobs, '/validate-batch-tutorial-kubebuilder-io-v1-cronjob'],
  ['validating', { ...cronJobs, group: '', kind: 'Pod' }, '/validate--v1-pod'],
] as const)('a %s webhook of a kind is where controller-runtime would have it', (kind, resource, want) => {
  expect(pathOfWebhook({ kind, resource })).toBe(want);
});
