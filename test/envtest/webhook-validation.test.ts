/** The errors of jobTemplate that the validating webhook gets from a real API server. */
import {
  collectDeclarations,
  type FieldError,
  type LiveClient,
  SystemClock,
  type WebhookRegistrar,
} from 'controller-runtime';
import { admissionregistration, core } from 'controller-runtime/kubernetes';
import {
  admissionContext,
  eventually,
  findFreePort,
  installWebhooks,
  selfSignedCertificate,
  uninstallWebhooks,
} from 'controller-runtime/testing';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
import { connect, connectAs } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';
import { createWebhooks } from '../support/create-webhooks.ts';
import { forbidJobs } from './support/job-quota.ts';
import { REALISTIC_JOB_TEMPLATE } from './support/realistic-job-template.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const { namespaces } = core.v1;
const clock = new SystemClock();
const CONTAINER = { name: 'c', image: 'i' };
const POD = 'spec.jobTemplate.spec.template.spec';

const cluster = connect(inject('kubeconfig'));
afterAll(() => cluster[Symbol.asyncDispose]());

const createTestNamespace = () => createNamespace(inject('apiServer'), 'webhook');

/** A valid template with these differences. */
function template(podSpec: object = {}, jobSpec: object = {}, metadata?: object): CronJobSpec['jobTemplate'] {
  const pods = { spec: { restartPolicy: 'Never', containers: [CONTAINER], ...podSpec } };
  return { ...(metadata && { metadata }), spec: { template: pods, ...jobSpec } };
}

function validate(jobTemplate: CronJobSpec['jobTemplate'], { client = cluster.client, ...metadata }: CronJobInput) {
  const { validateCreate } = createWebhooks({ client, clock });
  return validateCreate(cronJob({ jobTemplate }, undefined, metadata), {
    ...admissionContext({ now: clock.now(), namespace: metadata.namespace }),
  });
}

type CronJobInput = Partial<CronJob['metadata']> & { readonly client?: LiveClient };

test('accepts a realistic template, and stores nothing for it', async () => {
  const namespace = await createTestNamespace();
  expect(await validate(REALISTIC_JOB_TEMPLATE, { namespace })).toEqual({ errors: [], warnings: [] });
  expect(await cluster.client.list(jobs, { namespace })).toEqual([]);
});

const limits = (memory: string) => ({ containers: [{ ...CONTAINER, resources: { limits: { memory } } }] });
const invalid = (field: string, message: unknown) => ({ reason: 'FieldValueInvalid', field, message });
const required = (field: string, message = 'Required value') => ({ reason: 'FieldValueRequired', field, message });
const restartPolicy = required(`${POD}.restartPolicy`, 'Required value: valid values: "OnFailure", "Never"');
const QUANTITY = 'Invalid value: "1GB!": must be a quantity, such as 500m, 128Mi or 2Gi';
const UNREADABLE =
  'Invalid value: the API server cannot read it as a Job: json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32';
const LABEL = expect.stringContaining('Invalid value: "b c"');

test.each([
  ['restartPolicy Always', template({ restartPolicy: 'Always' }), [restartPolicy]],
  [
    'an invalid quantity',
    template(limits('1GB!')),
    [invalid(`${POD}.containers[0].resources.limits.memory`, QUANTITY)],
  ],
  ['a field of a wrong type', template({}, { parallelism: 'two' }), [invalid('spec.jobTemplate', UNREADABLE)]],
  [
    'an invalid label of the Job',
    template({}, {}, { labels: { a: 'b c' } }),
    [invalid('spec.jobTemplate.metadata.labels', LABEL)],
  ],
  ['no spec', {}, [required(`${POD}.containers`), restartPolicy]],
])('refuses %s, with the path in the CronJob', async (_, jobTemplate, errors) => {
  expect(await validate(jobTemplate, { namespace: 'default' })).toEqual({ errors, warnings: [] });
});

test('warns exactly when the names of the Jobs would be refused', async () => {
  const indexed = template({}, { completionMode: 'Indexed', completions: 100 });
  const metadata = { namespace: 'default', name: 'n'.repeat(50) };
  expect(await validate(indexed, metadata)).toEqual({
    errors: [],
    warnings: [
      expect.stringMatching(/^metadata\.name: the API server would refuse .+; choose a shorter or plainer name$/),
    ],
  });
  expect(await validate(indexed, { ...metadata, name: 'n'.repeat(49) })).toEqual({ errors: [], warnings: [] });
  expect(await validate(template(), { ...metadata, name: 'n'.repeat(52) })).toEqual({ errors: [], warnings: [] });
  expect(await validate(template(), { ...metadata, name: 'with.dots' })).toEqual({ errors: [], warnings: [] });
});

describe('accepts a CronJob with a warning', () => {
  const matchUncheckedWarning = (reason: string) => ({
    errors: [],
    warnings: [expect.stringMatching(`^could not check spec\\.jobTemplate: .*${reason}.*; it is checked when`)],
  });
  const refuseByPolicy = async (namespace: string) => {
    const { validatingAdmissionPolicies: policies, validatingAdmissionPolicyBindings: bindings } =
      admissionregistration.v1;
    const metadata = { name: namespace };
    const rule = { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] };
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const matchConstraints = { resourceRules: [rule], namespaceSelector };
    const validations = [{ expression: 'false', message: 'no Jobs here', reason: 'Invalid' }];
    await cluster.client.create(policies, { metadata, spec: { matchConstraints, validations } });
    await cluster.client.create(bindings, {
      metadata,
      spec: { policyName: namespace, validationActions: ['Deny'] },
    });
    onTestFinished(async () => {
      await cluster.client.delete(bindings, metadata);
      await cluster.client.delete(policies, metadata);
    });
  };
  const HOUSE_RULE = invalid('spec.parallelism', 'Invalid value: 1: house rule') as FieldError;
  const registerHouseRules = (registrar: WebhookRegistrar) =>
    registrar.for(jobs, { name: 'jobs.example.com', validate: () => [HOUSE_RULE] });
  const installUnreachableWebhook = async (namespace: string) => {
    const [port, caBundle] = [await findFreePort(), selfSignedCertificate('absent').cert];
    const installation = { namespace, port, caBundle, declarations: collectDeclarations(registerHouseRules) };
    await installWebhooks(cluster.client, installation);
    onTestFinished(() => uninstallWebhooks(cluster.client, installation));
  };

  test.each<{ name: string; given: (namespace: string) => Promise<unknown>; reason: string }>([
    {
      name: 'in a namespace that is being deleted',
      given: (name) => cluster.client.delete(namespaces, { name }),
      reason: 'being terminated',
    },
    {
      name: 'when a ResourceQuota is full',
      given: (namespace) => forbidJobs({ client: cluster.client, namespace }),
      reason: 'exceeded quota: no-jobs',
    },
    {
      name: 'when a policy of the cluster refuses the Job with 422, as for an invalid field',
      given: refuseByPolicy,
      reason: 'ValidatingAdmissionPolicy',
    },
    {
      name: 'when a webhook for Jobs cannot be reached',
      given: installUnreachableWebhook,
      reason: 'failed calling webhook "vjobs.example.com"',
    },
  ])('$name', async ({ given, reason }) => {
    const namespace = await createTestNamespace();
    await given(namespace);
    await eventually(async () =>
      expect(await validate(template(), { namespace })).toEqual(matchUncheckedWarning(reason)),
    );
  });

  test('when a webhook for Jobs refuses, with 422 and a field', async () => {
    await using webhooks = await WebhookScene.open(registerHouseRules);
    const { namespace } = webhooks.scene;
    const refusal = matchUncheckedWarning('admission webhook "vjobs.example.com" denied');
    await eventually(async () => expect(await validate(template(), { namespace })).toEqual(refusal));
  });

  test('in a namespace that does not exist', async () => {
    expect(await validate(template(), { namespace: 'missing' })).toEqual(
      matchUncheckedWarning('namespaces "missing" not found'),
    );
  });

  test('without the permission to create Jobs, and finds the most frequent errors itself', async () => {
    const namespace = await createTestNamespace();
    await using stranger = connectAs(inject('kubeconfig'), `system:serviceaccount:${namespace}:default`);
    const input = { namespace, client: stranger.client };
    expect(await validate(template(), input)).toEqual(matchUncheckedWarning('cannot create resource'));
    const { errors, warnings } = await validate(template({ restartPolicy: 'Always', containers: [] }), input);
    expect(errors.map(({ field }) => field)).toEqual([`${POD}.restartPolicy`, `${POD}.containers`]);
    expect(warnings).toHaveLength(1);
  });
});
