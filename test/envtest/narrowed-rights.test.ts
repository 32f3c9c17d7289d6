/** What a thief of the manager's token can do with the roles and policies of config/default, and what the API server refuses. */
import { configurationResource, coordination, core, type JsonPatchOperation, type NewObject } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { FLAGS } from '../../cmd/flags.ts';
import { jobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import {
  ACCOUNT,
  CONFIGURATIONS,
  jobIn,
  LABELLED,
  MANAGER,
  NAMESPACE,
  ORDINARY,
  OWNER,
  REFUSING_LABEL,
  refusalOf,
  StolenToken,
  secret,
} from './support/narrowed-rights.ts';

const stolen = new StolenToken();
const add = (path: string, value: unknown) => ({ op: 'add', path, value }) as const;
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value }) as const;
const remove = (path: string) => ({ op: 'remove', path }) as const;

describe('with the token of the manager, Jobs', () => {
  test.each([
    ['kube-system', 'refuses it by name'],
    ['kube-public', 'refuses it by name'],
    ['kube-node-lease', 'refuses it by name'],
    [NAMESPACE, 'its own namespace'],
    [LABELLED, `it has the label ${REFUSING_LABEL}`],
  ])('cannot be started in %s', async (namespace, reason) => {
    expect(await refusalOf(stolen.thief.create(jobs, jobIn(namespace)))).toContain(reason);
    expect(await refusalOf(stolen.thief.create(jobs, jobIn(namespace), { dryRun: true }))).toContain(reason);
  });

  test.each([
    ['without an owner', {}],
    ['of a CronJob that does not control it', { ownerReferences: [{ ...OWNER, controller: false }] }],
    ['of a CronJob of batch/v1', { ownerReferences: [{ ...OWNER, apiVersion: 'batch/v1' }] }],
    [
      'of a group that begins as ours',
      { ownerReferences: [{ ...OWNER, apiVersion: 'batch.tutorial.kubebuilder.io.x/v1' }] },
    ],
    ['of another kind', { ownerReferences: [{ ...OWNER, kind: 'Report' }] }],
  ])('%s cannot be started', async (_, metadata) => {
    const refusal = await refusalOf(stolen.thief.create(jobs, jobIn(ORDINARY, metadata)));
    expect(refusal).toContain('that a CronJob controls');
  });

  test('of others cannot be deleted, those of CronJobs can', async () => {
    const other = await stolen.admin.create(jobs, jobIn(ORDINARY, {}));
    expect(await refusalOf(stolen.thief.delete(jobs, other.metadata))).toContain('that a CronJob controls');
    const own = await stolen.thief.create(jobs, jobIn(ORDINARY));
    await stolen.thief.delete(jobs, own.metadata);
  });

  test('of a CronJob can be ended earlier, and not be changed otherwise', async () => {
    const deadline = (seconds: number) => add('/spec/activeDeadlineSeconds', seconds);
    const own = await stolen.thief.create(jobs, jobIn(ORDINARY));
    const patch = (...body: readonly JsonPatchOperation[]) =>
      stolen.thief.patch(jobs, own.metadata, { kind: 'json', body });
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
      expect(await refusalOf(patch(operation))).toMatch(/only the annotation start-timeout|that a CronJob controls/);
    }
    await patch(deadline(0));
    const other = await stolen.admin.create(jobs, jobIn(ORDINARY, {}));
    const refusal = stolen.thief.patch(jobs, other.metadata, { kind: 'json', body: [deadline(0)] });
    expect(await refusalOf(refusal)).toContain('that a CronJob controls');
  });

  test('of a CronJob can be started elsewhere, under any ServiceAccount there: this is left', async () => {
    const job = jobIn(ORDINARY) as Job;
    const spec = { ...job.spec, template: { spec: { ...job.spec?.template.spec, serviceAccountName: 'powerful' } } };
    const started = await stolen.thief.create(jobs, { ...job, spec } as NewObject<Job>);
    expect(started.spec?.template.spec).toMatchObject({ serviceAccountName: 'powerful' });
  });

  test('without an owner can be tried out, which webhooks do before there is one', async () => {
    await stolen.thief.create(jobs, jobIn(ORDINARY, {}), { dryRun: true });
  });
});

const CLIENT = '/webhooks/0/clientConfig';
const CA_BUNDLE = `${CLIENT}/caBundle`;
const SECRETS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
const SELECTOR = { matchLabels: { a: 'b' } };
const ANOTHER: JsonPatchOperation = { op: 'copy', from: '/webhooks/0', path: '/webhooks/1' };
const REWRITES: readonly (readonly [string, ...JsonPatchOperation[]])[] = [
  ['rules', replace('/webhooks/0/rules/0/resources', ['*/*'])],
  ['one rule more', add('/webhooks/0/rules/-', SECRETS)],
  ['an address outside', remove(`${CLIENT}/service`), add(`${CLIENT}/url`, 'https://203.0.113.1/')],
  ['the Service', replace(`${CLIENT}/service/namespace`, ORDINARY)],
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
  ['one webhook more', ANOTHER, replace('/webhooks/1/name', 'a.b.c')],
  ['rules under cover of a new caBundle', add(CA_BUNDLE, ''), replace('/webhooks/0/rules/0/resources', ['*'])],
  ['a label', add('/metadata/labels', { a: 'b' })],
  ['an annotation', add('/metadata/annotations/a', 'b')],
  ['an owner to be deleted with', add('/metadata/ownerReferences', [{ ...OWNER, controller: undefined }])],
  ['a finalizer', add('/metadata/finalizers', ['example.com/stay'])],
];

describe.each(CONFIGURATIONS)('with the token of the manager, the $kind', (ref) => {
  const patch = (body: readonly JsonPatchOperation[]) =>
    stolen.thief.patch(configurationResource(ref), ref, { kind: 'json', body });

  test.each(REWRITES.map(([name, ...body]) => [name, body] as const))('cannot be given %s', async (_, body) => {
    expect(await refusalOf(patch(body))).toContain(
      'may change only webhooks[].clientConfig.caBundle of a webhook configuration',
    );
  });

  test('can be given another caBundle, and lose it again: this is left', async () => {
    const path = '{.clusters[0].cluster.certificate-authority-data}';
    const value = await stolen.kubectl('config', 'view', '--raw', `--output=jsonpath=${path}`);
    expect(await patch([add(CA_BUNDLE, value)])).toMatchObject({
      webhooks: [{ clientConfig: { caBundle: value } }],
    });
    expect((await patch([remove(CA_BUNDLE)])).webhooks?.[0]?.clientConfig).not.toHaveProperty('caBundle');
  });
});

describe('with the token of the manager, in its namespace', () => {
  test.each([
    ['another name', secret({ name: 'other' })],
    ['a name that the server makes', secret({ generateName: 'webhook-server-cert' })],
    [
      'the token of a ServiceAccount',
      secret(
        { name: 'webhook-server-cert', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        'kubernetes.io/service-account-token',
      ),
    ],
    ['no type', secret({ name: 'webhook-server-cert' }, 'Opaque')],
  ])('no Secret can be created with %s', async (_, object) => {
    expect(await refusalOf(stolen.thief.create(core.v1.secrets, object))).toContain(
      'may create only the Secret webhook-server-cert',
    );
  });

  test('the Secret of the webhooks can be created and read: this is left', async () => {
    await stolen.thief.create(core.v1.secrets, secret({ name: 'webhook-server-cert' }));
    const [namespace, name] = [NAMESPACE, 'webhook-server-cert'];
    expect(await stolen.thief.get(core.v1.secrets, { namespace, name })).toMatchObject({ type: 'kubernetes.io/tls' });
  });

  test('no Lease can be created but that of the leader', async () => {
    const lease = (name: string) => ({ metadata: { namespace: NAMESPACE, name } });
    expect(await refusalOf(stolen.thief.create(coordination.v1.leases, lease('other')))).toContain(
      'may create only the Lease',
    );
    await stolen.thief.create(coordination.v1.leases, lease(FLAGS.leaderElectionId.default));
  });
});

/** Verb, resource, name, namespace, in the format of test/support/rights.ts. */
// biome-ignore format: a table reads better in rows
const NEVER = [
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

test('the answers about rights are those to questions that were understood', async () => {
  expect(await stolen.isAllowed(MANAGER, 'create jobs.batch in team-a')).toBe(true);
  expect(await stolen.isAllowed(MANAGER, 'get secrets webhook-server-cert in cronjob-operator-system')).toBe(true);
  expect(await stolen.isAllowed(MANAGER, 'update cronjobs/status.batch.tutorial.kubebuilder.io in team-a')).toBe(true);
});

test.each(NEVER)('with the token of the manager nobody may %s', async (question) => {
  expect(await stolen.isAllowed(MANAGER, question)).toBe(false);
});

/** The last attacks, because the account is gone after them. */
describe('the policies bind nobody else', () => {
  test('an administrator starts Jobs and changes webhook configurations', async () => {
    await stolen.admin.create(jobs, jobIn('kube-system', {}));
    for (const ref of CONFIGURATIONS) {
      const body = [replace('/webhooks/0/timeoutSeconds', 10)];
      await stolen.admin.patch(configurationResource(ref), ref, { kind: 'json', body });
    }
    await stolen.admin.create(core.v1.secrets, secret({ name: 'other' }));
  });

  test('nor a ServiceAccount of the same name in another namespace', async () => {
    const binding = ['--clusterrole=cluster-admin', `--serviceaccount=${ORDINARY}:${ACCOUNT}`];
    await stolen.kubectl('create', 'clusterrolebinding', 'same-name', ...binding);
    await using other = connect(kubeconfigAs(`system:serviceaccount:${ORDINARY}:${ACCOUNT}`, stolen.kubeconfig));
    await other.client.create(jobs, jobIn('kube-system', {}));
  });

  test('nor anybody when the ServiceAccount is gone, as in the middle of an uninstall', async () => {
    await stolen.kubectl('delete', 'serviceaccount', ACCOUNT, '--namespace', NAMESPACE);
    await eventually(async () => {
      // Without the account, the policies do not match any client: even its name is free.
      await stolen.thief.create(jobs, jobIn(NAMESPACE));
    });
    await stolen.admin.create(jobs, jobIn(ORDINARY, {}));
  });
});
