/** The role in config/rbac is enough for all that a manager does, and the policies in config/policy refuse none of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject, Resource } from 'controller-runtime';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { createNamespace } from '../support/namespace.ts';
import { Scene } from '../support/scene.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { createManagerAccount, policiesHold } from './support/manager-policies.ts';
import { startStuckJob } from './support/stuck-job.ts';

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Role extends KubernetesObject {
  readonly rules: readonly Rule[];
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

/** A kubeconfig of a ServiceAccount that may do in the scene's namespace what the rules say, and the policies leave of it. */
async function kubeconfigWith(scene: Scene, rules: readonly Rule[] = role.rules): Promise<string> {
  const { namespace } = scene;
  const account = { namespace: await createNamespace(inject('apiServer'), 'operator'), name: 'manager' };
  await createManagerAccount(scene.client, account);
  const name = `manager-${namespace}`;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await scene.client.create(clusterRoles, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules });
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

test('they allow it to end a Job that does not start in time', async () => {
  await using scene = await Scene.open();
  await scene.startManager({ kubeconfig: await kubeconfigWith(scene) });
  const job = await startStuckJob(scene);
  await scene.eventually(async () => {
    expect((await scene.jobs())[0]).toMatchObject({
      metadata: { uid: job.metadata.uid },
      spec: { activeDeadlineSeconds: 20 },
    });
  });
});

describe('under the role of a version without startTimeoutSeconds', () => {
  const without = (verb: string, resource: string) =>
    role.rules
      .map((rule) => ({
        ...rule,
        verbs: rule.verbs.filter((each) => each !== verb || !rule.resources.includes(resource)),
      }))
      .filter(({ verbs }) => verbs.length > 0);

  test.each([
    ['list', 'pods'],
    ['patch', 'jobs'],
  ])('without the right to %s %s, the field is off: that is said once, and runs go on', async (verb, resource) => {
    await using scene = await Scene.open();
    const manager = await scene.startManager({ kubeconfig: await kubeconfigWith(scene, without(verb, resource)) });
    await startStuckJob(scene);
    const said = async () => (await scene.reasonsOfEvents()).filter((reason) => reason === 'StartTimeout');
    await scene.eventually(async () => expect(await said()).toHaveLength(1));
    await scene.passNextMinute();
    await scene.hasJobs(2);
    await scene.passNextMinute();
    const [first] = await scene.hasJobs(3);
    expect(first?.spec).not.toHaveProperty('activeDeadlineSeconds');
    expect(await said()).toHaveLength(1);
    expect(manager.requests('GET', /\/pods$/)).toHaveLength(1);
  });
});
