/** The policies of config/policy in a cluster of tests, for one ServiceAccount that stands for a manager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiErrorOf, type LiveClient, type NewObject, type Resource } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { jobs } from '../../../controllers/resources.ts';
import { connect } from '../../support/cluster-client.ts';
import { PROJECT, parseManifests } from '../../support/manifests.ts';
import type { ServiceAccount } from '../../support/rights.ts';

const serviceAccounts: Resource = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/** Creates the account, and policies that bind it alone, under names of their own. */
export async function createManagerAccount(client: LiveClient, account: ServiceAccount): Promise<void> {
  await client.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  for (const manifest of parseManifests(readFileSync(join(PROJECT, 'config/policy/manifests.yaml'), 'utf8'))) {
    const { kind, metadata, spec } = manifest;
    const plural = kind.endsWith('Binding') ? 'validatingadmissionpolicybindings' : 'validatingadmissionpolicies';
    const policies: Resource = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      kind,
      plural,
      namespaced: false,
    };
    const name = `${metadata.name}-${account.namespace}`;
    const bound = spec.policyName && { policyName: name, paramRef: { ...spec.paramRef, ...account } };
    const object = { ...manifest, metadata: { name }, spec: { ...spec, ...bound } };
    await client.create(policies, object);
  }
}

/**
 * Resolves when the API server, which watches policies, holds that account to them: it is then refused a Job without an owner.
 * @param client An administrator's.
 * @param kubeconfig Of the account, which may create Jobs in the namespace.
 */
export async function policiesHold(client: LiveClient, kubeconfig: string, namespace: string): Promise<void> {
  await using cluster = connect(kubeconfig);
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
  const metadata = { namespace, name: 'nobodys' };
  const job: NewObject<Job> = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } };
  await eventually(async () => {
    const created = await cluster.client.create(jobs, job).catch(apiErrorOf);
    if (created && 'metadata' in created) await client.delete(jobs, metadata, { propagationPolicy: 'Background' });
    expect(created).toMatchObject({ code: 403, message: expect.stringContaining('that a CronJob controls') });
  });
}
