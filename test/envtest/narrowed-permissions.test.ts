/** What a thief of the manager's token can do with the roles and policies of config/default, and what the API server refuses. */
import { coordination, core, type JsonPatchOperation, type NewObject } from 'controller-runtime';
import { getConfigurationResource } from 'controller-runtime/internal';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { FLAGS } from '../../cmd/flags.ts';
import { jobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import {
  ACCOUNT,
  CONFIGURATIONS,
  createJob,
  createSecret,
  getRefusal,
  LABELLED_NAMESPACE,
  MANAGER,
  NAMESPACE,
  ORDINARY_NAMESPACE,
  OWNER,
  REFUSING_LABEL,
  StolenToken,
} from './support/narrowed-permissions.ts';

const stolenToken = new StolenToken();
const add = (path: string, value: unknown) => ({ op: 'add', path, value }) as const;
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value }) as const;
const remove = (path: string) => ({ op: 'remove', path }) as const;

describe('with the token of the manager, a Job', () => {
  test.each([
    ['kube-system', 'refuses it by name'],
    ['kube-public', 'refuses it by name'],
    ['kube-node-lease', 'refuses it by name'],
    [NAMESPACE, 'its own namespace'],
    [LABELLED_NAMESPACE, `it has the label ${REFUSING_LABEL}`],
  ])('cannot be started in %s', async (namespace, reason) => {
    expect(await getRefusal(stolenToken.thief.create(jobs, createJob(namespace)))).toContain(reason);
    expect(await getRefusal(stolenToken.thief.create(jobs, createJob(namespace), { dryRun: true }))).toContain(reason);
  });

  test.each([
    ['without an owner', {}],
    ['of a CronJob that does not control it', { ownerReferences: [{ ...OWNER, controller: false }] }],
    ['of a CronJob of batch/v1', { ownerReferences: [{ ...OWNER, apiVersion: 'batch/v1' }] }],
    [
      'of a group with the same prefix',
      { ownerReferences: [{ ...OWNER, apiVersion: 'batch.tutorial.kubebuilder.io.x/v1' }] },
    ],
    ['of another kind', { ownerReferences: [{ ...OWNER, kind: 'Report' }] }],
  ])('%s cannot be started', async (_, metadata) => {
    const refusal = await getRefusal(stolenToken.thief.create(jobs, createJob(ORDINARY_NAMESPACE, metadata)));
    expect(refusal).toContain('that a CronJob controls');
  });

  test('of another owner cannot be deleted, one of a CronJob can', async () => {
    const other = await stolenToken.admin.create(jobs, createJob(ORDINARY_NAMESPACE, {}));
    expect(await getRefusal(stolenToken.thief.delete(jobs, other.metadata))).toContain('that a CronJob controls');
    const own = await stolenToken.thief.create(jobs, createJob(ORDINARY_NAMESPACE));
    await stolenToken.thief.delete(jobs, own.metadata);
  });

  test('of a CronJob can be ended earlier, but not changed otherwise', async () => {
    const deadline = (seconds: number) => add('/spec/activeDeadlineSeconds', seconds);
    const own = await stolenToken.thief.create(jobs, createJob(ORDINARY_NAMESPACE));
    const patch = (...body: readonly JsonPatchOperation[]) =>
      stolenToken.thief.patch(jobs, own.metadata, { kind: 'json', body });
    const annotation = add(`/metadata/annotations/${START_TIMEOUT_ANNOTATION.replace('/', '~1')}`, '60');
    const noAnnotations = add('/metadata/annotations', {});
    await patch(deadline(60), noAnnotations, annotation);
    for (const operation of [
      replace('/spec/suspend', true),
      replace('/spec/parallelism', 9),
      add('/metadata/finalizers', ['example.com/stay']),
      add('/metadata/annotations/a', 'b'),
      add('/metadata/labels/a', 'b'),
      remove('/spec/activeDeadlineSeconds'),
      deadline(61),
    ]) {
      expect(await getRefusal(patch(operation))).toMatch(/only the annotation start-timeout|that a CronJob controls/);
    }
    await patch(deadline(0));
    const other = await stolenToken.admin.create(jobs, createJob(ORDINARY_NAMESPACE, {}));
    const refusal = stolenToken.thief.patch(jobs, other.metadata, { kind: 'json', body: [deadline(0)] });
    expect(await getRefusal(refusal)).toContain('that a CronJob controls');
  });

  test('of a CronJob can be started elsewhere, under any ServiceAccount there: a remaining risk', async () => {
    const job = createJob(ORDINARY_NAMESPACE) as Job;
    const spec = { ...job.spec, template: { spec: { ...job.spec?.template.spec, serviceAccountName: 'powerful' } } };
    const started = await stolenToken.thief.create(jobs, { ...job, spec } as NewObject<Job>);
    expect(started.spec?.template.spec).toMatchObject({ serviceAccountName: 'powerful' });
  });

  test('without an owner can be created as a dry run, which the webhooks need', async () => {
    await stolenToken.thief.create(jobs, createJob(ORDINARY_NAMESPACE, {}), { dryRun: true });
  });
});

const CLIENT = '/webhooks/0/clientConfig';
const CA_BUNDLE = `${CLIENT}/caBundle`;
const SECRETS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
const SELECTOR = { matchLabels: { a: 'b' } };
const ANOTHER: JsonPatchOperation = { op: 'copy', from: '/webhooks/0', path: '/webhooks/1' };
const REWRITES: readonly (readonly [string, ...JsonPatchOperation[]])[] = [
  ['rules', replace('/webhooks/0/rules/0/resources', ['*/*'])],
  ['another rule', add('/webhooks/0/rules/-', SECRETS)],
  ['an external address', remove(`${CLIENT}/service`), add(`${CLIENT}/url`, 'https://203.0.113.1/')],
  ['the Service', replace(`${CLIENT}/service/namespace`, ORDINARY_NAMESPACE)],
  ['the path', replace(`${CLIENT}/service/path`, '/x')],
  ['the port', replace(`${CLIENT}/service/port`, 8443)],
  ['failurePolicy', replace('/webhooks/0/failurePolicy', 'Ignore')],
  ['matchPolicy', replace('/webhooks/0/matchPolicy', 'Exact')],
  ['namespaceSelector', add('/webhooks/0/namespaceSelector', SELECTOR)],
  ['objectSelector', add('/webhooks/0/objectSelector', SELECTOR)],
  ['no matchConditions', remove('/webhooks/0/matchConditions')],
  ['matchConditions', replace('/webhooks/0/matchConditions/0/expression', 'false')],
  ['timeoutSeconds', replace('/webhooks/0/timeoutSeconds', 30)],
  ['a name', replace('/webhooks/0/name', 'a.b.c')],
  ['no webhook', remove('/webhooks/0')],
  ['another webhook', ANOTHER, replace('/webhooks/1/name', 'a.b.c')],
  ['rules together with a new caBundle', add(CA_BUNDLE, ''), replace('/webhooks/0/rules/0/resources', ['*'])],
  ['a label', add('/metadata/labels', { a: 'b' })],
  ['an annotation', add('/metadata/annotations/a', 'b')],
  ['an owner', add('/metadata/ownerReferences', [{ ...OWNER, controller: undefined }])],
  ['a finalizer', add('/metadata/finalizers', ['example.com/stay'])],
];

describe.each(CONFIGURATIONS)('with the token of the manager, the $kind', (ref) => {
  const patch = (body: readonly JsonPatchOperation[]) =>
    stolenToken.thief.patch(getConfigurationResource(ref), ref, { kind: 'json', body });

  test.each(REWRITES.map(([name, ...body]) => [name, body] as const))('cannot be given %s', async (_, body) => {
    expect(await getRefusal(patch(body))).toContain(
      'may change only webhooks[].clientConfig.caBundle of a webhook configuration',
    );
  });

  test('can get another caBundle, and lose it again: a remaining risk', async () => {
    const path = '{.clusters[0].cluster.certificate-authority-data}';
    const value = await stolenToken.kubectl('config', 'view', '--raw', `--output=jsonpath=${path}`);
    const changed = await patch([add(CA_BUNDLE, value)]);
    expect(changed.webhooks?.[0]?.clientConfig).toMatchObject({ caBundle: value });
    expect((await patch([remove(CA_BUNDLE)])).webhooks?.[0]?.clientConfig).not.toHaveProperty('caBundle');
  });
});

describe('with the token of the manager, in its namespace', () => {
  test.each([
    ['another name', createSecret({ name: 'other' })],
    ['a generated name', createSecret({ generateName: 'webhook-server-cert' })],
    [
      'the token of a ServiceAccount',
      createSecret(
        { name: 'webhook-server-cert', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        'kubernetes.io/service-account-token',
      ),
    ],
    ['no type', createSecret({ name: 'webhook-server-cert' }, 'Opaque')],
  ])('no Secret can be created with %s', async (_, object) => {
    expect(await getRefusal(stolenToken.thief.create(core.v1.secrets, object))).toContain(
      'may create only the Secret webhook-server-cert',
    );
  });

  test('the Secret of the webhooks can be created and read: a remaining risk', async () => {
    await stolenToken.thief.create(core.v1.secrets, createSecret({ name: 'webhook-server-cert' }));
    const [namespace, name] = [NAMESPACE, 'webhook-server-cert'];
    expect(await stolenToken.thief.get(core.v1.secrets, { namespace, name })).toMatchObject({
      type: 'kubernetes.io/tls',
    });
  });

  test("no Lease except the leader's can be created", async () => {
    const lease = (name: string) => ({ metadata: { namespace: NAMESPACE, name } });
    expect(await getRefusal(stolenToken.thief.create(coordination.v1.leases, lease('other')))).toContain(
      'may create only the Lease',
    );
    await stolenToken.thief.create(coordination.v1.leases, lease(FLAGS.leaderElectionId.default));
  });
});

/** Verb, resource, name, namespace, in the format of test/support/permissions.ts. */
// biome-ignore format: a table reads better in rows
const FORBIDDEN_REQUESTS = [
  'get secrets in team-a', 'list secrets in cronjob-operator-system', 'get secrets other in cronjob-operator-system',
  'delete secrets webhook-server-cert in cronjob-operator-system', 'get configmaps in cronjob-operator-system',
  'get pods in team-a', 'watch pods', 'delete pods in team-a', 'create pods in team-a', 'create pods/exec in team-a',
  'get pods/log in team-a', 'update cronjobs.batch.tutorial.kubebuilder.io in team-a',
  'create cronjobs.batch.tutorial.kubebuilder.io in team-a', 'delete cronjobs.batch.tutorial.kubebuilder.io in team-a',
  'create serviceaccounts/token in cronjob-operator-system', 'impersonate users', 'impersonate serviceaccounts in team-a',
  'patch namespaces', 'get nodes', 'patch deployments.apps in cronjob-operator-system',
  'create rolebindings.rbac.authorization.k8s.io in team-a', 'escalate clusterroles.rbac.authorization.k8s.io',
  'bind clusterroles.rbac.authorization.k8s.io', 'create mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'delete mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'patch mutatingwebhookconfigurations.admissionregistration.k8s.io other',
  'patch validatingadmissionpolicies.admissionregistration.k8s.io',
  'delete validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'patch customresourcedefinitions.apiextensions.k8s.io', 'create certificatesigningrequests.certificates.k8s.io',
] as const;

test('kubectl auth can-i understands the questions', async () => {
  expect(await stolenToken.isAllowed(MANAGER, 'create jobs.batch in team-a')).toBe(true);
  expect(await stolenToken.isAllowed(MANAGER, 'get secrets webhook-server-cert in cronjob-operator-system')).toBe(true);
  expect(await stolenToken.isAllowed(MANAGER, 'update cronjobs/status.batch.tutorial.kubebuilder.io in team-a')).toBe(
    true,
  );
});

test.each(FORBIDDEN_REQUESTS)('the token of the manager does not allow: %s', async (question) => {
  expect(await stolenToken.isAllowed(MANAGER, question)).toBe(false);
});

/** The last attacks, because the account is gone after them. */
describe('the policies do not restrict', () => {
  test('an administrator, who starts Jobs and changes webhook configurations', async () => {
    await stolenToken.admin.create(jobs, createJob('kube-system', {}));
    for (const ref of CONFIGURATIONS) {
      const body = [replace('/webhooks/0/timeoutSeconds', 10)];
      await stolenToken.admin.patch(getConfigurationResource(ref), ref, { kind: 'json', body });
    }
    await stolenToken.admin.create(core.v1.secrets, createSecret({ name: 'other' }));
  });

  test('a ServiceAccount of the same name in another namespace', async () => {
    const binding = ['--clusterrole=cluster-admin', `--serviceaccount=${ORDINARY_NAMESPACE}:${ACCOUNT}`];
    await stolenToken.kubectl('create', 'clusterrolebinding', 'same-name', ...binding);
    await using other = connect(
      writeKubeconfigAs(`system:serviceaccount:${ORDINARY_NAMESPACE}:${ACCOUNT}`, stolenToken.kubeconfig),
    );
    await other.client.create(jobs, createJob('kube-system', {}));
  });

  test('any user when the ServiceAccount is gone, as in the middle of an uninstall', async () => {
    await stolenToken.kubectl('delete', 'serviceaccount', ACCOUNT, '--namespace', NAMESPACE);
    await eventually(async () => {
      // Without the account, the policies do not match any client: even its name is free.
      await stolenToken.thief.create(jobs, createJob(NAMESPACE));
    });
    await stolenToken.admin.create(jobs, createJob(ORDINARY_NAMESPACE, {}));
  });
});
