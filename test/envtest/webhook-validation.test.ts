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
  installWebhooks,
  selfSignedCertificate,
  uninstallWebhooks,
} from 'controller-runtime/testing';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
import { findFreePort } from '../../hack/control-plane/free-port.ts';
import { connect, impersonating } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';
import { registeredWebhooks } from '../support/registered-webhooks.ts';
import { REALISTIC_JOB_TEMPLATE } from './support/realistic-job-template.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const { namespaces, resourceQuotas: quotas } = core.v1;
const clock = new SystemClock();
const CONTAINER = { name: 'c', image: 'i' };
const POD = 'spec.jobTemplate.spec.template.spec';

const cluster = connect(inject('kubeconfig'));
afterAll(() => cluster[Symbol.asyncDispose]());

const newNamespace = () => createNamespace(inject('apiServer'), 'webhook');

/** A valid template with these differences. */
function template(podSpec: object = {}, jobSpec: object = {}, metadata?: object): CronJobSpec['jobTemplate'] {
  const pods = { spec: { restartPolicy: 'Never', containers: [CONTAINER], ...podSpec } };
  return { ...(metadata && { metadata }), spec: { template: pods, ...jobSpec } };
}

function verdictOn(jobTemplate: CronJobSpec['jobTemplate'], { client = cluster.client, ...metadata }: Given) {
  const { validateCreate } = registeredWebhooks({ client, clock });
  return validateCreate(cronJob({ jobTemplate }, undefined, metadata), {
    ...admissionContext({ now: clock.now(), namespace: metadata.namespace }),
  });
}

type Given = Partial<CronJob['metadata']> & { readonly client?: LiveClient };

test('takes a realistic template, and stores nothing for it', async () => {
  const namespace = await newNamespace();
  expect(await verdictOn(REALISTIC_JOB_TEMPLATE, { namespace })).toEqual({ errors: [], warnings: [] });
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
    'a quantity that is none',
    template(limits('1GB!')),
    [invalid(`${POD}.containers[0].resources.limits.memory`, QUANTITY)],
  ],
  ['a field of a wrong type', template({}, { parallelism: 'two' }), [invalid('spec.jobTemplate', UNREADABLE)]],
  [
    'a label of the Job that cannot be one',
    template({}, {}, { labels: { a: 'b c' } }),
    [invalid('spec.jobTemplate.metadata.labels', LABEL)],
  ],
  ['no spec', {}, [required(`${POD}.containers`), restartPolicy]],
])('refuses %s, with the path in the CronJob', async (_, jobTemplate, errors) => {
  expect(await verdictOn(jobTemplate, { namespace: 'default' })).toEqual({ errors, warnings: [] });
});

test('warns where the names of the Jobs would be refused, and only there', async () => {
  const indexed = template({}, { completionMode: 'Indexed', completions: 100 });
  const given = { namespace: 'default', name: 'n'.repeat(50) };
  expect(await verdictOn(indexed, given)).toEqual({
    errors: [],
    warnings: [
      expect.stringMatching(/^metadata\.name: its Jobs would be refused .+; choose a shorter or plainer name$/),
    ],
  });
  expect(await verdictOn(indexed, { ...given, name: 'n'.repeat(49) })).toEqual({ errors: [], warnings: [] });
  expect(await verdictOn(template(), { ...given, name: 'n'.repeat(52) })).toEqual({ errors: [], warnings: [] });
  expect(await verdictOn(template(), { ...given, name: 'with.dots' })).toEqual({ errors: [], warnings: [] });
});

describe('lets pass with a warning', () => {
  const could = (reason: string) => ({
    errors: [],
    warnings: [expect.stringMatching(`^could not check spec\\.jobTemplate: .*${reason}.*; it is checked when`)],
  });
  const fillQuota = async (namespace: string) => {
    const hard = { 'count/jobs.batch': '0' };
    const { client } = cluster;
    const { metadata } = await client.create(quotas, { metadata: { name: 'none', namespace }, spec: { hard } });
    // Does the work of the controller manager, which does not run here.
    const body = { status: { hard, used: hard } };
    await client.patch(quotas, metadata, { kind: 'merge', body }, { subresource: 'status' });
  };

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
  const houseRules = (registrar: WebhookRegistrar) =>
    registrar.for(jobs, { name: 'jobs.example.com', validate: () => [HOUSE_RULE] });
  const askNobody = async (namespace: string) => {
    const [port, caBundle] = [await findFreePort(), selfSignedCertificate('nobody').cert];
    const installation = { namespace, port, caBundle, declarations: collectDeclarations(houseRules) };
    await installWebhooks(cluster.client, installation);
    onTestFinished(() => uninstallWebhooks(cluster.client, installation));
  };

  test.each<{ name: string; given: (namespace: string) => Promise<unknown>; reason: string }>([
    {
      name: 'in a namespace that is going',
      given: (name) => cluster.client.delete(namespaces, { name }),
      reason: 'being terminated',
    },
    { name: 'where a quota is used up', given: fillQuota, reason: 'exceeded quota: none' },
    {
      name: 'when a policy of the cluster refuses the Job, with 422 as a wrong field is refused',
      given: refuseByPolicy,
      reason: 'ValidatingAdmissionPolicy',
    },
    {
      name: 'when a webhook for Jobs cannot be reached',
      given: askNobody,
      reason: 'failed calling webhook "vjobs.example.com"',
    },
  ])('$name', async ({ given, reason }) => {
    const namespace = await newNamespace();
    await given(namespace);
    await eventually(async () => expect(await verdictOn(template(), { namespace })).toEqual(could(reason)));
  });

  test('when a webhook for Jobs refuses, with 422 and a field', async () => {
    await using webhooks = await WebhookScene.open(houseRules);
    const { namespace } = webhooks.scene;
    const refusal = could('admission webhook "vjobs.example.com" denied');
    await eventually(async () => expect(await verdictOn(template(), { namespace })).toEqual(refusal));
  });

  test('in a namespace that is not there', async () => {
    expect(await verdictOn(template(), { namespace: 'missing' })).toEqual(could('namespaces "missing" not found'));
  });

  test('when we have no right to create Jobs, and then sees by itself what is wrong most often', async () => {
    const namespace = await newNamespace();
    await using nobody = impersonating(inject('kubeconfig'), `system:serviceaccount:${namespace}:default`);
    const given = { namespace, client: nobody.client };
    expect(await verdictOn(template(), given)).toEqual(could('cannot create resource'));
    const { errors, warnings } = await verdictOn(template({ restartPolicy: 'Always', containers: [] }), given);
    expect(errors.map(({ field }) => field)).toEqual([`${POD}.restartPolicy`, `${POD}.containers`]);
    expect(warnings).toHaveLength(1);
  });
});
