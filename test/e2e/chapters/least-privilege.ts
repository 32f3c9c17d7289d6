import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { GROUP } from '../../../api/v1/groupversion.ts';
import type { Manifest } from '../../support/manifests.ts';
import { type Asked, allows, askedIn, type Right, rightsGranted, sentence } from '../../support/rights.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { NAMESPACE, PATIENCE, SERVICE_ACCOUNT, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, eventsAbout, jobsOf, statusOf } from './cron-jobs.ts';

const IN_WORK = `--namespace=${WORK_NAMESPACE}`;
const MANAGER = `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`;
const MANAGER_ROLE = 'cronjob-operator-manager-role';
const STRANGER = 'e2e-stranger';
const POLICY = 'e2e-no-status';
const UNWRITABLE = 'unwritable';

/** Message of the admission plugin, which discovers a new CRD half a minute late. No right would change that. */
const NOT_YET_KNOWN = 'cannot find RESTMapping for APIVersion batch.tutorial.kubebuilder.io/v1';

/** Rights that the requests of the manager do not need here. The named tests prove that they are needed. */
const UNUSED_HERE = [
  // The admission plugin needs it, on behalf of the manager: below.
  `update cronjobs/finalizers.${GROUP}`,
  // For API servers without streaming lists: test/envtest/without-watch-list.test.ts.
  `list cronjobs.${GROUP}`,
  'list jobs.batch',
  'list mutatingwebhookconfigurations.admissionregistration.k8s.io cronjob-operator-mutating-webhook-configuration',
  `list secrets webhook-server-cert in ${NAMESPACE}`,
  'list validatingwebhookconfigurations.admissionregistration.k8s.io cronjob-operator-validating-webhook-configuration',
];

/**
 * Compares the rights that the manager has with the rights that it used: they must be equal. Looks back on all chapters before it, so it
 * cannot be run alone.
 */
export const leastPrivilege: Chapter = (operator) => {
  // There is no audit log for clusters that are not ours.
  if (!['node', 'kwok'].includes(inject('site').name)) return;

  function asked(): readonly Asked[] {
    const { auditLog } = operator().site;
    if (auditLog === undefined) throw new Error('this site has no audit log');
    return askedIn(readFileSync(auditLog, 'utf8')).filter(({ user }) => user === MANAGER);
  }

  async function granted(): Promise<readonly Right[]> {
    const kinds = 'clusterroles,clusterrolebindings,roles,rolebindings';
    const objects = await operator().get(kinds, '--all-namespaces');
    return rightsGranted(objects, { namespace: NAMESPACE, name: SERVICE_ACCOUNT });
  }

  /** Creates, in a dry run, a Job that blocks the deletion of its CronJob, as the manager does. */
  async function createOwnedJob(user: string): Promise<void> {
    const [owner] = await operator().get('tcj', 'owner', IN_WORK);
    const file = join(temporaryFolder(), 'job.json');
    writeFileSync(file, ownedJob(owner));
    // Not `apply`, which reads: the test is only about the rights of this one request.
    await operator().kubectl('create', '-f', file, '--dry-run=server', '--validate=false', `--as=${user}`);
  }

  describe('the manager, allowed what its roles say', () => {
    test('counts in an event what happens again and again', async () => {
      await operator().apply(cronJobManifest('busy', { schedule: '@every 1s' }, { job: { suspend: true } }));
      await eventually(async () => {
        expect((await jobsOf(operator(), 'busy')).length).toBeGreaterThan(2);
      }, PATIENCE);
      // The manager updates the Event after some minutes, or when it stops. A manager on a very busy machine may be killed before; then the
      // next one does.
      const counted = async () => {
        const events = await eventsAbout(operator(), 'busy');
        expect(events.filter(({ reason, count = 0 }) => reason === 'SuccessfulCreate' && count > 1)).not.toEqual([]);
      };
      await eventually(async () => {
        await operator().kubectl('delete', 'pod', await operator().leader(), `--namespace=${NAMESPACE}`);
        await eventually(counted, { timeoutMs: 30_000, intervalMs: 1000 });
      }, PATIENCE);
      await operator().isReady();
      await operator().inWork('delete', 'tcj', 'busy');
    });

    test('looks again at what it could not write, and writes it when it can', async () => {
      await operator().apply(cronJobManifest(UNWRITABLE, { suspend: true }));
      await operator().inWork('wait', 'tcj', UNWRITABLE, '--for=condition=Available=false', '--timeout=60s');
      await operator().apply(policyAgainstStatus());
      const status = ['patch', 'tcj', UNWRITABLE, '--subresource=status', '--type=merge', '--dry-run=server'];
      await eventually(async () => {
        const tried = operator().inWork(...status, '--patch={"status":{"activeCount":7}}');
        await expect(tried).rejects.toThrow('not now');
      }, PATIENCE);
      await operator().apply(cronJobManifest(UNWRITABLE, { suspend: false }));
      await eventually(() => {
        const right = { verb: 'update', name: UNWRITABLE };
        expect(asked()).toContainEqual(expect.objectContaining({ right: expect.objectContaining(right), code: 422 }));
      }, PATIENCE);
      await operator().kubectl('delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', POLICY);
      await operator().inWork('wait', 'tcj', UNWRITABLE, '--for=condition=Available', '--timeout=60s');
      expect(await statusOf(operator(), UNWRITABLE)).toMatchObject({ activeCount: 0 });
      await operator().inWork('delete', 'tcj', UNWRITABLE);
    });

    test('was never refused anything', () => {
      const refused = asked().filter(({ code, message }) => code === 403 && !message.includes(NOT_YET_KNOWN));
      expect(refused.map(({ right, message }) => `${sentence(right)}: ${message}`)).toEqual([]);
    });

    test('has asked for nothing that others than its own roles allow', async () => {
      const rights = await granted();
      const others = asked().filter(({ right }) => !rights.some((each) => allows(each, right)));
      expect(others.map(({ right }) => sentence(right))).toEqual([]);
    });

    test('has needed all that they say, but for what tests show to be needed elsewhere', async () => {
      const requests = asked();
      const unused = (await granted()).filter((right) => !requests.some((each) => allows(right, each.right)));
      expect(unused.map(sentence).toSorted()).toEqual(UNUSED_HERE.toSorted());
    });
  });

  describe('the right to update finalizers of CronJobs', () => {
    test('is what lets the manager create Jobs that block the deletion of their CronJob', async () => {
      await operator().apply(cronJobManifest('owner', { suspend: true }));
      await createOwnedJob(MANAGER);
    });

    test('cannot be left out: the API server may ask for it', async () => {
      const [role] = await operator().get('clusterrole', MANAGER_ROLE);
      const without: readonly object[] = role?.['rules'].filter(
        ({ resources }: Manifest['rules']) => !resources.includes('cronjobs/finalizers'),
      );
      expect(without).toHaveLength(role?.['rules'].length - 1);
      await operator().apply(strangerWith(without));
      // Rights take effect a moment after they are granted. This right shows that all others have taken effect.
      await eventually(
        async () => await expect(createOwnedJob(STRANGER)).rejects.toThrow(/cannot set blockOwnerDeletion/),
        PATIENCE,
      );
      await operator().inWork('delete', 'tcj', 'owner');
      await operator().inWork('delete', 'role,rolebinding', STRANGER);
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
        matchConditions: [{ name: 'one', expression: `object.metadata.name == '${UNWRITABLE}'` }],
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

/** A user with these rights in the namespace of the tests' CronJobs. */
function strangerWith(rules: readonly object[]): string {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name: STRANGER, namespace: WORK_NAMESPACE };
  return list(
    { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: STRANGER },
      subjects: [{ kind: 'User', apiGroup, name: STRANGER }],
    },
  );
}
