/** What the validating webhook learns from a real API server about jobTemplate. */
import { type FieldError, type LiveClient, SystemClock } from 'controller-runtime';
import { admissionContext, eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect, impersonating } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import { askAboutJobs, refuseJobsByPolicy, serveRefusal, unusedPort } from './support/job-admission.ts';
import './support/provided.ts';
import { registeredWebhooks } from '../support/registered-webhooks.ts';
import { REALISTIC_JOB_TEMPLATE } from './support/realistic-job-template.ts';

const clock = new SystemClock();
const CONTAINER = { name: 'c', image: 'i' };
const POD = 'spec.jobTemplate.spec.template.spec';

let cluster: ClusterClient;
beforeAll(() => {
  cluster = connect(inject('kubeconfig'));
});
afterAll(() => cluster[Symbol.asyncDispose]());

const newNamespace = () => createNamespace(inject('apiServer'), 'webhook');

/** A template with these differences from one that is good. */
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

function post(path: string, body: object): Promise<unknown> {
  return cluster.transport.request({ method: 'POST', path, body });
}

test('takes a realistic template, and stores nothing for it', async () => {
  const namespace = await newNamespace();
  expect(await verdictOn(REALISTIC_JOB_TEMPLATE, { namespace })).toEqual({ errors: [], warnings: [] });
  expect(await cluster.client.list(jobs, { namespace })).toEqual([]);
});

interface Row {
  readonly name: string;
  readonly jobTemplate: CronJobSpec['jobTemplate'];
  readonly want: readonly FieldError[];
}

const limits = (memory: string) => ({ containers: [{ ...CONTAINER, resources: { limits: { memory } } }] });
const unreadable = (fault: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: 'spec.jobTemplate',
  message: `Invalid value: the API server cannot read it as a Job: ${fault}`,
});

const refused: readonly Row[] = [
  {
    name: 'restartPolicy Always',
    jobTemplate: template({ restartPolicy: 'Always' }),
    want: [
      {
        reason: 'FieldValueRequired',
        field: `${POD}.restartPolicy`,
        message: 'Required value: valid values: "OnFailure", "Never"',
      },
    ],
  },
  {
    name: 'a quantity that is none',
    jobTemplate: template(limits('1GB!')),
    want: [
      {
        reason: 'FieldValueInvalid',
        field: `${POD}.containers[0].resources.limits.memory`,
        message: 'Invalid value: "1GB!": must be a quantity, such as 500m, 128Mi or 2Gi',
      },
    ],
  },
  {
    name: 'a field of a wrong type',
    jobTemplate: template({}, { parallelism: 'two' }),
    want: [unreadable('json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32')],
  },
  {
    name: 'a label of the Job that cannot be one',
    jobTemplate: template({}, {}, { labels: { a: 'b c' } }),
    want: [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.jobTemplate.metadata.labels',
        message: expect.stringContaining('Invalid value: "b c"'),
      },
    ],
  },
  {
    name: 'no spec',
    jobTemplate: {},
    want: [
      { reason: 'FieldValueRequired', field: `${POD}.containers`, message: 'Required value' },
      {
        reason: 'FieldValueRequired',
        field: `${POD}.restartPolicy`,
        message: 'Required value: valid values: "OnFailure", "Never"',
      },
    ],
  },
];

test.each(refused)('refuses $name, with the path in the CronJob', async ({ jobTemplate, want }) => {
  expect(await verdictOn(jobTemplate, { namespace: 'default' })).toEqual({ errors: want, warnings: [] });
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

test('does not mind a Job of the name it makes up, and looks at the template all the same', async () => {
  const namespace = await newNamespace();
  const name = 'hello-0000000000';
  const spec = template().spec!;
  await cluster.client.create(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec });
  expect(await verdictOn(template(), { namespace })).toEqual({ errors: [], warnings: [] });
  expect((await verdictOn(template({ restartPolicy: 'Always' }), { namespace })).errors).toHaveLength(1);
});

describe('lets pass with a warning', () => {
  const could = (reason: string) => ({
    errors: [],
    warnings: [expect.stringMatching(`^could not check spec\\.jobTemplate: .*${reason}.*; it is checked when`)],
  });

  test('in a namespace that is not there', async () => {
    expect(await verdictOn(template(), { namespace: 'missing' })).toEqual(could('namespaces "missing" not found'));
  });

  test('in a namespace that is going', async () => {
    const namespace = await newNamespace();
    await cluster.transport.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    expect(await verdictOn(template(), { namespace })).toEqual(could('being terminated'));
  });

  test('where a quota is used up', async () => {
    const namespace = await newNamespace();
    const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const hard = { 'count/jobs.batch': '0' };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard } };
    await post(quotas, quota);
    // What the controller manager would do, which is not there.
    const body = { ...quota, status: { hard, used: hard } };
    await cluster.transport.request({ method: 'PUT', path: `${quotas}/none/status`, body });
    await eventually(async () =>
      expect(await verdictOn(template(), { namespace })).toEqual(could('exceeded quota: none')),
    );
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

  test('when a policy of the cluster refuses the Job, with 422 as a wrong field is refused', async () => {
    const namespace = await newNamespace();
    await refuseJobsByPolicy(cluster, namespace);
    await eventually(async () =>
      expect(await verdictOn(template(), { namespace })).toEqual(could('ValidatingAdmissionPolicy')),
    );
  });

  test('when a webhook for Jobs refuses, with 422 and a field', async () => {
    const namespace = await newNamespace();
    const error = { reason: 'FieldValueInvalid', field: 'spec.parallelism', message: 'Invalid value: 1: house rule' };
    await askAboutJobs(cluster, namespace, await serveRefusal(error));
    await eventually(async () =>
      expect(await verdictOn(template(), { namespace })).toEqual(could('admission webhook "jobs.example.com" denied')),
    );
  });

  test('when a webhook for Jobs cannot be reached', async () => {
    const namespace = await newNamespace();
    await askAboutJobs(cluster, namespace, { port: await unusedPort() });
    await eventually(async () =>
      expect(await verdictOn(template(), { namespace })).toEqual(could('failed calling webhook "jobs.example.com"')),
    );
  });
});
