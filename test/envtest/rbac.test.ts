/** The role in config/rbac is enough for all that a manager does, and the policies in config/policy refuse none of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject, Resource } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { createNamespace } from '../support/namespace.ts';
import { Scene } from '../support/scene.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { createManagerAccount, policiesHold } from './support/manager-policies.ts';

interface Role extends KubernetesObject {
  readonly rules: readonly object[];
}

interface Binding extends KubernetesObject {
  readonly roleRef: object;
  readonly subjects: readonly object[];
}

const RBAC_GROUP = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const clusterRoles: Resource<Role> = { ...RBAC_GROUP, kind: 'ClusterRole', plural: 'clusterroles' };
const roleBindings: Resource<Binding> = {
  ...RBAC_GROUP,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};

const ROLE_FILE = join(import.meta.dirname, '../../config/rbac/role.yaml');
const role: Pick<Role, 'rules'> = parse(readFileSync(ROLE_FILE, 'utf8'));

/** A kubeconfig of a ServiceAccount that may do in the scene's namespace what the role says, and the policies leave of it. */
async function kubeconfigWith(scene: Scene): Promise<string> {
  const { namespace } = scene;
  const account = { namespace: await createNamespace(inject('apiServer'), 'operator'), name: 'manager' };
  await createManagerAccount(scene.client, account);
  const name = `manager-${namespace}`;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await scene.client.create(clusterRoles, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: role.rules });
  await scene.client.create(roleBindings, {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const kubeconfig = kubeconfigAs(`system:serviceaccount:${account.namespace}:${account.name}`, inject('kubeconfig'));
  await policiesHold(scene.client, kubeconfig, namespace);
  return kubeconfig;
}

test('role and policies allow a manager all that it does: start, record, prune, replace, report', async () => {
  await using scene = await Scene.open();
  await scene.startManager({ kubeconfig: await kubeconfigWith(scene) });
  await scene.createCronJob({ successfulJobsHistoryLimit: 0, concurrencyPolicy: 'Replace' });
  await scene.observed();
  await scene.passNextMinute();
  const [replaced] = await scene.hasJobs(1);
  await scene.passNextMinute();
  const second = await scene.eventually(async () => {
    const [job] = await scene.jobs();
    if (job === undefined) throw new Error('the one is gone, and the other is not there yet');
    expect(job.metadata.uid).not.toBe(replaced?.metadata.uid);
    return job;
  });
  await scene.finish(second, 'Complete');
  await scene.hasJobs(0);
  await scene.eventually(async () => {
    expect(await scene.reasonsOfEvents()).toEqual(
      expect.arrayContaining(['SuccessfulCreate', 'SuccessfulDelete', 'SawCompletedJob']),
    );
  });
});
