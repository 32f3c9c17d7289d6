/** A user with some permissions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { rbac } from 'controller-runtime/kubernetes';
import { inject } from 'vitest';
import { parse, stringify } from 'yaml';
import { RUN_PLURAL } from '../../../api/v1/cronjobrun-types.ts';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { writeKubeconfigAs } from '../../envtest/support/kubeconfig-as.ts';
import type { Scene } from '../../support/scene.ts';

interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Permissions to read CronJobs. */
export const VIEW_RULE: RbacRule = { apiGroups: [GROUP], resources: [PLURAL], verbs: ['get', 'list', 'watch'] };
/** Permissions to run, suspend and resume them. */
export const PATCH_RULE: RbacRule = { apiGroups: [GROUP], resources: [PLURAL], verbs: ['patch'] };

/** Permissions to create CronJobRuns. */
export const CREATE_RUNS_RULE: RbacRule = { apiGroups: [GROUP], resources: [RUN_PLURAL], verbs: ['create'] };

/**
 * Path of a kubeconfig of a user with these permissions in the namespace of the scene, and no permissions elsewhere. A second call for the same user
 * adds permissions. It is deleted with the test.
 * @param contextNamespace Namespace in the kubeconfig.
 */
export async function createUserKubeconfig(
  { client, namespace }: Scene,
  rules: readonly RbacRule[],
  contextNamespace?: string,
): Promise<string> {
  const user = `user-of-${namespace}`;
  const metadata = { name: `may-${rules.length}`, namespace };
  const apiGroup = 'rbac.authorization.k8s.io';
  await client.create(rbac.v1.roles, { metadata, rules });
  await client.create(rbac.v1.roleBindings, {
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: metadata.name },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
  const file = writeKubeconfigAs(user, inject('kubeconfig'));
  if (contextNamespace === undefined) return file;
  const kubeconfig = parse(readFileSync(file, 'utf8'));
  for (const each of kubeconfig.contexts) each.context.namespace = contextNamespace;
  writeFileSync(file, stringify(kubeconfig));
  return file;
}
