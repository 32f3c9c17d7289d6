/** What a thief of the manager's token can do, with the roles and policies of config/default, and what is refused. */
import {
  configurationResource,
  core,
  type JsonPatchOperation,
  type NewObject,
  type Resource,
} from 'controller-runtime';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { FLAGS } from '../../cmd/flags.ts';
import { jobs } from '../../controllers/resources.ts';
import {
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

const leases: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

const stolen = new StolenToken();

describe('with the token of the manager, Jobs', () => {
  test.each([
    ['kube-system', 'refuses by name'],
    ['kube-public', 'refuses by name'],
    ['kube-node-lease', 'refuses by name'],
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
    const deadline = (seconds: number) => ({ op: 'add', path: '/spec/activeDeadlineSeconds', value: seconds }) as const;
    const own = await stolen.thief.create(jobs, jobIn(ORDINARY));
    const patch = (...body: readonly JsonPatchOperation[]) =>
      stolen.thief.patch(jobs, own.metadata, { kind: 'json', body });
    const annotation = {
      op: 'add',
      path: `/metadata/annotations/${START_TIMEOUT_ANNOTATION.replace('/', '~1')}`,
      value: '60',
    } as const;
    const noAnnotations = { op: 'add', path: '/metadata/annotations', value: {} } as const;
    await patch(deadline(60), noAnnotations, annotation);
    for (const operation of [
      { op: 'replace', path: '/spec/suspend', value: true },
      { op: 'replace', path: '/spec/parallelism', value: 9 },
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/stay'] },
      { op: 'add', path: '/metadata/annotations/a', value: 'b' },
      { op: 'add', path: '/metadata/labels/a', value: 'b' },
      { op: 'remove', path: '/spec/activeDeadlineSeconds' },
      deadline(61),
    ] as const) {
      expect(await refusalOf(patch(operation))).toMatch(/nothing of Jobs but an earlier|that a CronJob controls/);
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

const CA_BUNDLE = '/webhooks/0/clientConfig/caBundle';
const REWRITES: readonly (readonly [string, readonly JsonPatchOperation[]])[] = [
  ['rules', [{ op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['*/*'] }]],
  [
    'one rule more',
    [
      {
        op: 'add',
        path: '/webhooks/0/rules/-',
        value: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] },
      },
    ],
  ],
  [
    'an address outside',
    [
      { op: 'remove', path: '/webhooks/0/clientConfig/service' },
      { op: 'add', path: '/webhooks/0/clientConfig/url', value: 'https://203.0.113.1/' },
    ],
  ],
  ['the Service', [{ op: 'replace', path: '/webhooks/0/clientConfig/service/namespace', value: ORDINARY }]],
  ['the path', [{ op: 'replace', path: '/webhooks/0/clientConfig/service/path', value: '/x' }]],
  ['the port', [{ op: 'replace', path: '/webhooks/0/clientConfig/service/port', value: 8443 }]],
  ['failurePolicy', [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }]],
  ['matchPolicy', [{ op: 'replace', path: '/webhooks/0/matchPolicy', value: 'Exact' }]],
  ['namespaceSelector', [{ op: 'add', path: '/webhooks/0/namespaceSelector', value: { matchLabels: { a: 'b' } } }]],
  ['objectSelector', [{ op: 'add', path: '/webhooks/0/objectSelector', value: { matchLabels: { a: 'b' } } }]],
  ['no matchConditions', [{ op: 'remove', path: '/webhooks/0/matchConditions' }]],
  ['matchConditions', [{ op: 'replace', path: '/webhooks/0/matchConditions/0/expression', value: 'false' }]],
  ['timeoutSeconds', [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 30 }]],
  ['a name', [{ op: 'replace', path: '/webhooks/0/name', value: 'a.b.c' }]],
  ['no webhook', [{ op: 'remove', path: '/webhooks/0' }]],
  [
    'one webhook more',
    [
      { op: 'copy', from: '/webhooks/0', path: '/webhooks/1' },
      { op: 'replace', path: '/webhooks/1/name', value: 'a.b.c' },
    ],
  ],
  [
    'rules under cover of a new caBundle',
    [
      { op: 'add', path: CA_BUNDLE, value: '' },
      { op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['*'] },
    ],
  ],
  ['a label', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
  ['an annotation', [{ op: 'add', path: '/metadata/annotations/a', value: 'b' }]],
  [
    'an owner to be deleted with',
    [{ op: 'add', path: '/metadata/ownerReferences', value: [{ ...OWNER, controller: undefined }] }],
  ],
  ['a finalizer', [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/stay'] }]],
];

describe.each(CONFIGURATIONS)('with the token of the manager, the $kind', (ref) => {
  const patch = (body: readonly JsonPatchOperation[]) =>
    stolen.thief.patch(configurationResource(ref), ref, { kind: 'json', body });

  test.each(REWRITES)('cannot be given %s', async (_, body) => {
    expect(await refusalOf(patch(body))).toContain(
      'nothing of webhook configurations but webhooks[].clientConfig.caBundle',
    );
  });

  test('can be given another caBundle, and lose it again: this is left', async () => {
    const bundle = Buffer.from(
      await stolen.kubectl(
        'config',
        'view',
        '--raw',
        '--output=jsonpath={.clusters[0].cluster.certificate-authority-data}',
      ),
      'base64',
    );
    const value = bundle.toString('base64');
    expect(await patch([{ op: 'add', path: CA_BUNDLE, value }])).toMatchObject({
      webhooks: [{ clientConfig: { caBundle: value } }],
    });
    expect((await patch([{ op: 'remove', path: CA_BUNDLE }])).webhooks?.[0]?.clientConfig).not.toHaveProperty(
      'caBundle',
    );
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
      'creates no Secret but webhook-server-cert',
    );
  });

  test('the Secret of the webhooks can be created and read: this is left', async () => {
    await stolen.thief.create(core.v1.secrets, secret({ name: 'webhook-server-cert' }));
    const [namespace, name] = [NAMESPACE, 'webhook-server-cert'];
    expect(await stolen.thief.get(core.v1.secrets, { namespace, name })).toMatchObject({ type: 'kubernetes.io/tls' });
  });

  test('no Lease can be created but that of the leader', async () => {
    const lease = (name: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: NAMESPACE, name },
    });
    expect(await refusalOf(stolen.thief.create(leases, lease('other')))).toContain('creates no Lease but');
    await stolen.thief.create(leases, lease(FLAGS.leaderElectionId.default));
  });
});

/** Verb, what, name, namespace: as test/support/rights.ts writes them. */
const NEVER = [
  'get secrets in team-a',
  'list secrets in cronjob-operator-system',
  'get secrets other in cronjob-operator-system',
  'delete secrets webhook-server-cert in cronjob-operator-system',
  'get configmaps in cronjob-operator-system',
  'get pods in team-a',
  'watch pods',
  'delete pods in team-a',
  'create pods in team-a',
  'create pods/exec in team-a',
  'get pods/log in team-a',
  'update cronjobs.batch.tutorial.kubebuilder.io in team-a',
  'create cronjobs.batch.tutorial.kubebuilder.io in team-a',
  'delete cronjobs.batch.tutorial.kubebuilder.io in team-a',
  'create serviceaccounts/token in cronjob-operator-system',
  'impersonate users',
  'impersonate serviceaccounts in team-a',
  'patch namespaces',
  'get nodes',
  'patch deployments.apps in cronjob-operator-system',
  'create rolebindings.rbac.authorization.k8s.io in team-a',
  'escalate clusterroles.rbac.authorization.k8s.io',
  'bind clusterroles.rbac.authorization.k8s.io',
  'create mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'delete mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'patch mutatingwebhookconfigurations.admissionregistration.k8s.io other',
  'patch validatingadmissionpolicies.admissionregistration.k8s.io',
  'delete validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'patch customresourcedefinitions.apiextensions.k8s.io',
  'create certificatesigningrequests.certificates.k8s.io',
] as const;

test('the answers about rights are those to questions that were understood', async () => {
  expect(await stolen.isAllowed(MANAGER, 'create jobs.batch in team-a')).toBe(true);
  expect(await stolen.isAllowed(MANAGER, 'get secrets webhook-server-cert in cronjob-operator-system')).toBe(true);
  expect(await stolen.isAllowed(MANAGER, 'update cronjobs/status.batch.tutorial.kubebuilder.io in team-a')).toBe(true);
});

test.each(NEVER)('with the token of the manager nobody may %s', async (question) => {
  expect(await stolen.isAllowed(MANAGER, question)).toBe(false);
});
