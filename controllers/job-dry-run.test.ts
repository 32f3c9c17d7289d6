import { ApiError, ResponseTooLargeError, type StatusCause } from 'controller-runtime';
import { expect, test } from 'vitest';
import type { NewJob } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../api/v1/groupversion.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { couldNotCheck, NO_FINDINGS, setUpDryRuns } from '../test/support/dry-runs.ts';
import { throwing } from '../test/support/throwing.ts';

const NAME = 'hello-0000000000';
/** The template with the fields that the Pods of each run have. */
const ofRun = (template: NewJob['spec']['template']) => ({
  ...template,
  metadata: {
    annotations: {
      [SCHEDULED_TIMESTAMP_ANNOTATION]: '1970-01-01T00:00:00Z',
      [SCHEDULED_AT_ANNOTATION]: '1970-01-01T00:00:00Z',
    },
  },
});
function refusing(code: number, message: string, options: { reason?: string; causes?: readonly StatusCause[] } = {}) {
  const { reason = '', causes = [] } = options;
  return setUpDryRuns(throwing(new ApiError(code, { code, reason, message, details: { causes } })));
}

/** A 422 as from the API server's own checks of a Job. */
function invalidJob(...causes: readonly StatusCause[]) {
  return refusing(422, `Job.batch "${NAME}" is invalid: …`, { reason: 'Invalid', causes });
}

const cause = (field: string, message = 'Required value', reason = 'FieldValueRequired') => ({
  reason,
  field,
  message,
});

test('asks for a Job like those of the CronJob, to be checked and not stored, behind every run that is due', async () => {
  const { transport, dryRun } = setUpDryRuns();
  const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
  const spec = cronJob().spec.jobTemplate.spec!;
  const name = 'n'.repeat(52);
  const object = cronJob({ jobTemplate: { metadata, spec }, suspend: true }, undefined, { name, namespace: 'ns' });
  expect(await dryRun(object, { namespace: 'ns' })).toEqual(NO_FINDINGS);
  const body = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${name}-0000000000`, namespace: 'ns', ...metadata },
    spec: { template: ofRun(spec.template) },
  };
  const path = '/apis/batch/v1/namespaces/ns/jobs';
  expect(transport.requests).toMatchObject([
    { method: 'POST', path, query: { dryRun: 'All' }, priority: 'background' },
  ]);
  expect(transport.requests[0]?.body).toEqual(body);
});

test('sends the variables of runContext, with the same length as in a run', async () => {
  const { transport, dryRun } = setUpDryRuns();
  await dryRun(cronJob({ runContext: 'Env', timeZone: 'Nowhere/AtAll' }));
  expect((transport.requests[0]!.body as NewJob).spec.template.spec?.containers[0]?.env).toEqual([
    { name: 'CRONJOB_NAME', value: 'hello' },
    { name: 'CRONJOB_RUN', value: NAME },
    { name: 'CRONJOB_TRIGGER', value: 'Schedule' },
    { name: 'CRONJOB_SCHEDULED_TIME', value: '1970-01-01T00:00:00Z' },
    { name: 'CRONJOB_LAST_SUCCESSFUL_TIME', value: '1970-01-01T00:00:00Z' },
  ]);
});

test('asks in the namespace of the request, whatever the object says', async () => {
  const { transport, dryRun } = setUpDryRuns();
  await dryRun(cronJob({}, undefined, { namespace: 'kube-system' }), { namespace: 'mine' });
  expect(transport.requests).toMatchObject([
    { path: '/apis/batch/v1/namespaces/mine/jobs', body: { metadata: { namespace: 'mine' } } },
  ]);
});

test('hands on what policies and quotas say only to the API server', async () => {
  const secret = 'exceeded quota: gold, used: 7';
  const { dryRun, log } = refusing(403, secret, { reason: 'Forbidden' });
  const { warnings } = await dryRun(cronJob(), { isCallerVerified: false });
  expect(warnings).toEqual([
    'could not check spec.jobTemplate: the API server answers 403 Forbidden; it is checked when the first Job is created; ' +
      'create it with kubectl --dry-run=server to see why',
  ]);
  expect(warnings[0]!.length).toBeLessThan(256);
  expect(log.records).toMatchObject([{ fields: { reason: secret } }]);
  expect((await dryRun()).warnings).toEqual([couldNotCheck(secret)]);
});

test('reads no more of an answer than it needs, and takes a long yes for one', async () => {
  const { dryRun, transport } = setUpDryRuns(throwing(new ResponseTooLargeError(201, 1)));
  expect(await dryRun()).toEqual(NO_FINDINGS);
  expect(transport.requests).toMatchObject([{ maxResponseBytes: 1024 * 1024 }]);
  transport.answer = throwing(new ResponseTooLargeError(422, 1));
  expect((await dryRun()).warnings).toEqual([couldNotCheck('the API server returned 422 with more than 1 bytes')]);
});

test('makes up a name that fits when the CronJob has none that does', async () => {
  const { transport, dryRun } = setUpDryRuns();
  await dryRun(cronJob({}, undefined, { name: 'n'.repeat(60) }));
  await dryRun({ ...cronJob(), metadata: {} } as unknown as CronJob);
  const names = transport.requests.map(({ body }) => (body as { metadata: { name: string } }).metadata.name);
  expect(names).toEqual([`${'n'.repeat(52)}-0000000000`, 'cronjob-0000000000']);
});

test('refuses with the path of the field in the CronJob', async () => {
  const { dryRun } = invalidJob(
    cause('spec.template.spec.containers[1].name', 'Duplicate value: "c"', 'FieldValueDuplicate'),
    cause('spec'),
    cause('metadata.labels', 'Invalid value: "a b"', 'FieldValueInvalid'),
    cause('metadata.annotations[x]', 'Too long', 'FieldValueTooLong'),
    { field: 'spec.completions' },
  );
  const jobTemplate = { ...cronJob().spec.jobTemplate, metadata: { labels: { 'a b': '' } } };
  expect(await dryRun(cronJob({ jobTemplate }))).toEqual({
    errors: [
      cause('spec.jobTemplate.spec.template.spec.containers[1].name', 'Duplicate value: "c"', 'FieldValueDuplicate'),
      cause('spec.jobTemplate.spec'),
      cause('spec.jobTemplate.metadata.labels', 'Invalid value: "a b"', 'FieldValueInvalid'),
      cause('spec.jobTemplate.metadata.annotations[x]', 'Too long', 'FieldValueTooLong'),
      cause('spec.jobTemplate.spec.completions', '', 'FieldValueInvalid'),
    ],
    warnings: [],
  });
});

test.each([undefined, {}])('reports a label once that the Pods have and the Job copies: %j', async (labels) => {
  const { dryRun } = invalidJob(cause('metadata.labels'), cause('spec.template.labels'));
  const jobTemplate = { ...cronJob().spec.jobTemplate, ...(labels && { metadata: { labels } }) };
  expect(await dryRun(cronJob({ jobTemplate }))).toEqual({
    errors: [cause('spec.jobTemplate.spec.template.labels')],
    warnings: [],
  });
});

test('warns of a name that real Jobs would be refused for, and refuses nothing for it', async () => {
  const { dryRun, log } = invalidJob(cause('metadata.name', 'Invalid value: "x": no DNS label'));
  expect(await dryRun()).toEqual({
    errors: [],
    warnings: [
      'metadata.name: the API server would refuse the names of its Jobs: Invalid value: "x": no DNS label; choose a shorter or plainer name',
    ],
  });
  expect(log.records).toEqual([]);
});

test('refuses what cannot be read as a Job', async () => {
  const { dryRun } = refusing(400, 'Job in version "v1" cannot be handled as a Job: quantities must match', {
    reason: 'BadRequest',
  });
  const message = 'Invalid value: the API server cannot read it as a Job: quantities must match';
  expect(await dryRun()).toEqual({
    errors: [{ reason: 'FieldValueInvalid', field: 'spec.jobTemplate', message }],
    warnings: [],
  });
});

test('accepts a Job whose name is taken, because the API server checks the name last', async () => {
  expect(await refusing(409, 'exists', { reason: 'AlreadyExists' }).dryRun()).toEqual(NO_FINDINGS);
});

const UNREADABLE = 'Job in version "v1" cannot be handled as a Job: x';

const lettingPass: readonly (readonly [code: number, message: string, cause: StatusCause | undefined])[] = [
  [403, 'jobs.batch is forbidden', undefined],
  [403, 'exceeded quota', undefined],
  [404, 'namespaces "x" not found', undefined],
  [409, 'conflict', undefined], // a quota that was changed meanwhile
  [429, 'slow down', undefined],
  [500, 'etcd', undefined],
  [503, 'starting', undefined],
  [400, 'admission webhook "x" does not support dry run', undefined],
  [400, `admission webhook "x" denied the request: ${UNREADABLE}`, undefined],
  [403, UNREADABLE, undefined],
  [422, 'admission webhook "x" denied the request: no', { field: 'spec.parallelism' }],
  [422, 'denied request', {}], // by a policy
  [422, 'invalid', { field: 'specification' }],
  [422, 'invalid', { field: 'metadata.namespace' }],
  [403, 'no', { field: 'spec.parallelism' }],
  [422, 'invalid', undefined],
];

test.each(lettingPass)('warns of the answer %i %s, and lets pass', async (code, message, found) => {
  const causes = found === undefined ? [] : [{ reason: 'FieldValueInvalid', message: 'no', ...found }];
  const { dryRun, log } = refusing(code, message, { causes });
  expect(await dryRun()).toEqual({ errors: [], warnings: [couldNotCheck(message)] });
  expect(log.records).toEqual([{ level: 'info', message: 'could not check jobTemplate', fields: { reason: message } }]);
});

test('looks itself at what is wrong most often when the API server cannot be asked', async () => {
  const jobTemplate = {
    spec: { template: { spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } } },
  };
  const { errors, warnings } = await refusing(403, 'no permissions').dryRun(cronJob({ jobTemplate }));
  expect(errors.map(({ field }) => field)).toEqual(['spec.jobTemplate.spec.template.spec.restartPolicy']);
  expect(warnings).toEqual([couldNotCheck('no permissions')]);
});

test('cuts short what the API server says, and never its own fix', async () => {
  const { dryRun } = refusing(500, 'x'.repeat(500));
  const { warnings } = await dryRun();
  expect(warnings).toEqual([couldNotCheck(`${'x'.repeat(140)}…`)]);
  expect(warnings[0]?.length).toBeLessThan(256);
});

test.each([{}, { metadata: 'x', spec: 7 }, { metadata: { labels: 1 } }, { spec: null }])(
  'sends a template that is %j as it is: the API server says what is wrong',
  async (jobTemplate) => {
    const { dryRun, transport } = setUpDryRuns();
    expect(await dryRun(cronJob({ jobTemplate: jobTemplate as CronJob['spec']['jobTemplate'] }))).toEqual(NO_FINDINGS);
    expect(transport.requests).toHaveLength(1);
  },
);
