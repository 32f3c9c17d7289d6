import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { GROUP } from '../../../api/v1/groupversion.ts';
import type { Manifest } from '../../support/manifests.ts';
import {
  covers,
  formatPermission,
  listGrantedPermissions,
  type Permission,
  parseAuditLog,
  type RequestedPermission,
} from '../../support/permissions.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { NAMESPACE, PATIENCE, SERVICE_ACCOUNT, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, getStatus, listEvents, listJobs } from './cron-jobs.ts';

const WORK_NAMESPACE_FLAG = `--namespace=${WORK_NAMESPACE}`;
const MANAGER = `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`;
const MANAGER_ROLE = 'cronjob-operator-manager-role';
const UNPRIVILEGED_NAME = 'e2e-stranger';
const POLICY = 'e2e-no-status';
const UNWRITABLE_NAME = 'unwritable';

/** Message of the admission plugin, which discovers a new CRD half a minute late. No permission would change that. */
const UNKNOWN_KIND_MESSAGE = 'cannot find RESTMapping for APIVersion batch.tutorial.kubebuilder.io/v1';

/** Used only after a status write that failed or got no response: controllers/cronjobrun-controller.test.ts. */
const USED_AFTER_FAILURES = `get cronjobruns.${GROUP}`;

/** Permissions that the requests of the manager do not need here. The named tests prove that they are needed. */
const TESTED_ELSEWHERE = [
  // The admission plugin needs it, on behalf of the manager: below.
  `update cronjobs/finalizers.${GROUP}`,
  // For API servers without streaming lists: test/envtest/without-watch-list.test.ts.
  `list cronjobs.${GROUP}`,
  `list cronjobruns.${GROUP}`,
  'list jobs.batch',
  'list mutatingwebhookconfigurations.admissionregistration.k8s.io cronjob-operator-mutating-webhook-configuration',
  `list secrets webhook-server-cert in ${NAMESPACE}`,
  'list validatingwebhookconfigurations.admissionregistration.k8s.io cronjob-operator-validating-webhook-configuration',
];

/**
 * Compares the permissions that the manager has with the permissions that it used: they must be equal. Looks back on all chapters before it, so it
 * cannot be run alone.
 */
export const leastPrivilege: Chapter = (operator) => {
  // There is no audit log for clusters that are not ours.
  if (!['node', 'kwok'].includes(inject('site').name)) return;

  function listRequestedPermissions(): readonly RequestedPermission[] {
    const { auditLog } = operator().site;
    if (auditLog === undefined) throw new Error('this site has no audit log');
    return parseAuditLog(readFileSync(auditLog, 'utf8')).filter(({ user }) => user === MANAGER);
  }

  async function listGranted(): Promise<readonly Permission[]> {
    const kinds = 'clusterroles,clusterrolebindings,roles,rolebindings';
    const objects = await operator().get(kinds, '--all-namespaces');
    return listGrantedPermissions(objects, { namespace: NAMESPACE, name: SERVICE_ACCOUNT });
  }

  /** Creates, in a dry run, a Job that blocks the deletion of its CronJob, as the manager does. */
  async function createOwnedJob(user: string): Promise<void> {
    const [owner] = await operator().get('tcj', 'owner', WORK_NAMESPACE_FLAG);
    const file = join(createTemporaryFolder(), 'job.json');
    writeFileSync(file, ownedJob(owner));
    // Not `apply`, which reads: the test is only about the permissions of this one request.
    await operator().kubectl('create', '-f', file, '--dry-run=server', '--validate=false', `--as=${user}`);
  }

  describe('the manager with the permissions of its roles', () => {
    test('counts repeated occurrences in one event', async () => {
      await operator().apply(cronJobManifest('busy', { schedule: '@every 1s' }, { job: { suspend: true } }));
      await eventually(async () => {
        expect((await listJobs(operator(), 'busy')).length).toBeGreaterThan(2);
      }, PATIENCE);
      // The manager updates the Event after some minutes, or when it stops. A manager on a very busy machine may be killed before; then the
      // next one does.
      const listRepeatedEvents = async () => {
        const events = await listEvents(operator(), 'busy');
        expect(events.filter(({ reason, count = 0 }) => reason === 'SuccessfulCreate' && count > 1)).not.toEqual([]);
      };
      await eventually(async () => {
        await operator().kubectl('delete', 'pod', await operator().findLeader(), `--namespace=${NAMESPACE}`);
        await eventually(listRepeatedEvents, { timeoutMs: 30_000, intervalMs: 1000 });
      }, PATIENCE);
      await operator().waitUntilReady();
      await operator().kubectlInWork('delete', 'tcj', 'busy');
    });

    test('retries a refused write until it succeeds', async () => {
      await operator().apply(cronJobManifest(UNWRITABLE_NAME, { suspend: true }));
      await operator().kubectlInWork(
        'wait',
        'tcj',
        UNWRITABLE_NAME,
        '--for=condition=Available=false',
        '--timeout=60s',
      );
      await operator().apply(policyAgainstStatus());
      const status = ['patch', 'tcj', UNWRITABLE_NAME, '--subresource=status', '--type=merge', '--dry-run=server'];
      await eventually(async () => {
        const events = operator().kubectlInWork(...status, '--patch={"status":{"activeCount":7}}');
        await expect(events).rejects.toThrow('not now');
      }, PATIENCE);
      await operator().apply(cronJobManifest(UNWRITABLE_NAME, { suspend: false }));
      await eventually(() => {
        const permission = { verb: 'update', name: UNWRITABLE_NAME };
        expect(listRequestedPermissions()).toContainEqual(
          expect.objectContaining({ permission: expect.objectContaining(permission), code: 422 }),
        );
      }, PATIENCE);
      await operator().kubectl('delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', POLICY);
      await operator().kubectlInWork('wait', 'tcj', UNWRITABLE_NAME, '--for=condition=Available', '--timeout=60s');
      expect(await getStatus(operator(), UNWRITABLE_NAME)).toMatchObject({ activeCount: 0 });
      await operator().kubectlInWork('delete', 'tcj', UNWRITABLE_NAME);
    });

    test('never got a refusal', () => {
      const refusedRequests = listRequestedPermissions().filter(
        ({ code, message }) => code === 403 && !message.includes(UNKNOWN_KIND_MESSAGE),
      );
      expect(refusedRequests.map(({ permission, message }) => `${formatPermission(permission)}: ${message}`)).toEqual(
        [],
      );
    });

    test('never used a permission that its roles do not grant', async () => {
      const permissions = await listGranted();
      const others = listRequestedPermissions().filter(
        ({ permission }) => !permissions.some((each) => covers(each, permission)),
      );
      expect(others.map(({ permission }) => formatPermission(permission))).toEqual([]);
    });

    test('used every permission of its roles, except permissions that other tests cover', async () => {
      const requests = listRequestedPermissions();
      const unused = (await listGranted()).filter(
        (permission) => !requests.some((each) => covers(permission, each.permission)),
      );
      const unusedPermissions = unused.map(formatPermission).filter((permission) => permission !== USED_AFTER_FAILURES);
      expect(unusedPermissions.toSorted()).toEqual(TESTED_ELSEWHERE.toSorted());
    });
  });

  describe('the permission to update finalizers of CronJobs', () => {
    test('allows the manager to create Jobs that block the deletion of their CronJob', async () => {
      await operator().apply(cronJobManifest('owner', { suspend: true }));
      await createOwnedJob(MANAGER);
    });

    test('is necessary: the API server may check it', async () => {
      const [role] = await operator().get('clusterrole', MANAGER_ROLE);
      const reducedRules: readonly object[] = role?.['rules'].filter(
        ({ resources }: Manifest['rules']) => !resources.includes('cronjobs/finalizers'),
      );
      expect(reducedRules).toHaveLength(role?.['rules'].length - 1);
      await operator().apply(createUnprivilegedRole(reducedRules));
      // Permissions take effect a moment after they are granted. This permission shows that all others have taken effect.
      await eventually(
        async () => await expect(createOwnedJob(UNPRIVILEGED_NAME)).rejects.toThrow(/cannot set blockOwnerDeletion/),
        PATIENCE,
      );
      await operator().kubectlInWork('delete', 'tcj', 'owner');
      await operator().kubectlInWork('delete', 'role,rolebinding', UNPRIVILEGED_NAME);
    });
  });
};

function list(...items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function ownedJob(owner: Manifest | undefined): string {
  const { apiVersion, kind, metadata } = owner ?? {};
  const reference = { apiVersion, kind, name: metadata?.name, uid: metadata?.uid };
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      generateName: 'owned-',
      namespace: WORK_NAMESPACE,
      ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }],
    },
    spec: owner?.['spec'].jobTemplate.spec,
  });
}

/** Denies every write to the status of one CronJob. */
function policyAgainstStatus(): string {
  const resources = { apiGroups: [GROUP], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['cronjobs/status'] };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name: POLICY };
  return list(
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        matchConstraints: { resourceRules: [resources] },
        matchConditions: [{ name: 'one', expression: `object.metadata.name == '${UNWRITABLE_NAME}'` }],
        validations: [{ expression: 'false', message: 'not now' }],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: POLICY, validationActions: ['Deny'] },
    },
  );
}

/** A user with these permissions in the namespace of the tests' CronJobs. */
function createUnprivilegedRole(rules: readonly object[]): string {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name: UNPRIVILEGED_NAME, namespace: WORK_NAMESPACE };
  return list(
    { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: UNPRIVILEGED_NAME },
      subjects: [{ kind: 'User', apiGroup, name: UNPRIVILEGED_NAME }],
    },
  );
}
