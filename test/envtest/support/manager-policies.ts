/** The policies of config/policy in a test cluster, for one ServiceAccount that replaces that of a manager. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApiError, type LiveClient, type Resource } from 'controller-runtime';
import { admissionregistration, type ClusterRole, core } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect, inject } from 'vitest';
import { jobs } from '../../../controllers/resources.ts';
import { connect } from '../../support/cluster-client.ts';
import { PROJECT, parseManifests } from '../../support/manifests.ts';
import { createNamespace } from '../../support/namespace.ts';
import type { AccountRef } from '../../support/permissions.ts';
import type { Scene } from '../../support/scene.ts';
import { grant, grantClusterWide } from './grant.ts';
import { writeKubeconfigAs } from './kubeconfig-as.ts';

const { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } = admissionregistration.v1;
type GrantedRules = NonNullable<ClusterRole['rules']>;

/** A kubeconfig of an account with the permissions of these rules in the scene's namespace, restricted by the policies. */
export async function createManagerKubeconfig(
  { client, namespace }: Scene,
  rules: GrantedRules,
  clusterRules: GrantedRules = [],
): Promise<string> {
  const account = { namespace: await createNamespace(inject('apiServer'), 'operator'), name: 'manager' };
  await client.create(core.v1.serviceAccounts, { metadata: account });
  await createPolicies(client, account);
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  await grant(client, user, namespace, rules);
  await grantClusterWide(client, user, clusterRules);
  const kubeconfig = writeKubeconfigAs(user, inject('kubeconfig'));
  await waitForPolicies(client, kubeconfig, namespace);
  return kubeconfig;
}

/** Creates policies that bind only this account, under separate names. */
async function createPolicies(client: LiveClient, account: AccountRef): Promise<void> {
  for (const manifest of parseManifests(readFileSync(join(PROJECT, 'config/policy/manifests.yaml'), 'utf8'))) {
    const { kind, metadata, spec } = manifest;
    const policies: Resource = kind.endsWith('Binding')
      ? validatingAdmissionPolicyBindings
      : validatingAdmissionPolicies;
    const name = `${metadata.name}-${account.namespace}`;
    const bound = spec.policyName && { policyName: name, paramRef: { ...spec.paramRef, ...account } };
    const object = { ...manifest, metadata: { name }, spec: { ...spec, ...bound } };
    await client.create(policies, object);
  }
}

/** Resolves when the API server, which watches policies, enforces them on the account: it then refuses a Job without an owner. */
async function waitForPolicies(client: LiveClient, kubeconfig: string, namespace: string): Promise<void> {
  await using cluster = connect(kubeconfig);
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
  const metadata = { namespace, name: 'nobodys' };
  await eventually(async () => {
    const created = await cluster.client.create(jobs, { metadata, spec: { template } }).catch(findApiError);
    if (created && 'metadata' in created) await client.delete(jobs, metadata, { propagationPolicy: 'Background' });
    expect(created).toMatchObject({ code: 403, message: expect.stringContaining('that a CronJob controls') });
  });
}
