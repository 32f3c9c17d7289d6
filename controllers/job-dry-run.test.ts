import { AnswerTooLongError, ApiError, LiveClient, type StatusCause, type Verdict } from 'controller-runtime';
import { eventually, FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { DryRunPlaces } from './dry-run-places.ts';
import { type DryRunContext, dryRunJob } from './job-dry-run.ts';

const NAME = 'hello-0000000000';
const PASSED: Verdict = { errors: [], warnings: [] };

/** What stands when all that is asked is an API server that behaves as `answer` says. */
function setUp(answer: RecordingTransport['answer'] = () => ({})) {
  const transport = new RecordingTransport();
  transport.answer = answer;
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const caller = new AbortController();
  const context: DryRunContext = {
    ...{
      client: new LiveClient(transport, { fieldManager: 'tester' }),
      clock,
      log,
      signal: caller.signal,
      places: new DryRunPlaces(),
    },
    ...{ namespace: 'default', isCallerVerified: true },
  };
  const dryRun = (object: CronJob = cronJob(), differences: Partial<DryRunContext> = {}) =>
    dryRunJob(object, { ...context, ...differences });
  return { transport, clock, log, caller, dryRun };
}

function refusing(code: number, message: string, options: { reason?: string; causes?: readonly StatusCause[] } = {}) {
  const { reason = '', causes = [] } = options;
  return setUp(() => {
    throw new ApiError(code, { code, reason, message, details: { causes } });
  });
}

/** A 422 as the API server's own checks of a Job answer it. */
function invalidJob(...causes: readonly StatusCause[]) {
  return refusing(422, `Job.batch "${NAME}" is invalid: …`, { reason: 'Invalid', causes });
}

const cause = (field: string, message = 'Required value', reason = 'FieldValueRequired') => ({
  reason,
  field,
  message,
});
const couldNotCheck = (reason: string) =>
  `could not check spec.jobTemplate: ${reason}; it is checked when the first Job is created`;

test('asks for a Job without the selector of a template that is older than the rule against it, as its Jobs are', async () => {
  const { transport, dryRun } = setUp();
  const { spec } = cronJob().spec.jobTemplate;
  const selector = { matchLabels: { app: 'a' } };
  await dryRun(cronJob({ jobTemplate: { spec: { ...spec!, selector, manualSelector: true } } }));
  expect(transport.requests).toEqual([expect.objectContaining({ body: expect.objectContaining({ spec }) })]);
});

test('asks for a Job like those of the CronJob, to be checked and not stored', async () => {
  const { transport, dryRun } = setUp();
  const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
  const spec = cronJob().spec.jobTemplate.spec!;
  const name = 'n'.repeat(52);
  const object = cronJob({ jobTemplate: { metadata, spec }, suspend: true }, undefined, { name, namespace: 'ns' });
  expect(await dryRun(object, { namespace: 'ns' })).toEqual(PASSED);
  expect(transport.requests).toEqual([
    expect.objectContaining({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/ns/jobs',
      query: expect.objectContaining({ dryRun: 'All' }),
      body: {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: `${name}-0000000000`, namespace: 'ns', ...metadata },
        spec,
      },
    }),
  ]);
});

test('is never sent before a run that is due', async () => {
  const { transport, dryRun } = setUp();
  await dryRun();
  expect(transport.requests).toMatchObject([{ priority: 'background' }]);
});

test('asks in the namespace of the request, whatever the object says', async () => {
  const { transport, dryRun } = setUp();
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
  const { dryRun, transport } = setUp(() => {
    throw new AnswerTooLongError(201, 1);
  });
  expect(await dryRun()).toEqual(PASSED);
  expect(transport.requests).toMatchObject([{ maxAnswerBytes: 1024 * 1024 }]);
  transport.answer = () => {
    throw new AnswerTooLongError(422, 1);
  };
  expect((await dryRun()).warnings).toEqual([couldNotCheck('the API server answered 422 with more than 1 bytes')]);
});

test('has at most 16 under way, 4 of one namespace, lets 16 wait and turns the others away at once', async () => {
  const answers: (() => void)[] = [];
  const { dryRun, transport } = setUp(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const sent = () => Object.groupBy(transport.requests, ({ namespace }) => namespace ?? '');
  const verdicts = ['a', 'b', 'c', 'd', 'e'].flatMap((namespace) =>
    Array.from({ length: 10 }, () => dryRun(cronJob(), { namespace })),
  );
  // 4 of each of a to d are under way, 16 wait, and of the 50 the other 18 are answered.
  await eventually(async () => expect(transport.requests).toHaveLength(16));
  expect(Object.values(sent()).map((requests) => requests?.length)).toEqual([4, 4, 4, 4]);
  const turnedAway: Verdict[] = [];
  for (const verdict of verdicts) void verdict.then((each) => each.warnings.length > 0 && turnedAway.push(each));
  await eventually(async () => expect(turnedAway).toHaveLength(18));
  expect(turnedAway[0]?.warnings).toEqual([couldNotCheck('too many checks are under way')]);
  await eventually(() => {
    for (const answer of answers.splice(0)) answer();
    expect(transport.requests).toHaveLength(32);
  });
  for (const answer of answers.splice(0)) answer();
  expect(
    (await Promise.all(verdicts)).filter((verdict) => verdict === PASSED || verdict.warnings.length === 0),
  ).toHaveLength(32);
});

test('one that waits for its place waits no longer than the three seconds', async () => {
  const { clock, dryRun, transport } = setUp(() => new Promise(() => {}));
  const verdicts = Promise.all(Array.from({ length: 5 }, () => dryRun()));
  await clock.advance(3000);
  expect((await verdicts).map(({ warnings }) => warnings)).toEqual(
    Array.from({ length: 5 }, () => [couldNotCheck('not done within 3000 ms')]),
  );
  expect(transport.requests).toHaveLength(4);
});

test('makes up a name that fits when the CronJob has none that does', async () => {
  const { transport, dryRun } = setUp();
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

test.each([undefined, {}])('tells of labels that the pods have and the Job gets from them once: %j', async (labels) => {
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
      'metadata.name: its Jobs would be refused for their names: Invalid value: "x": no DNS label; choose a shorter or plainer name',
    ],
  });
  expect(log.records).toEqual([]);
});

test('refuses for the template, and warns of the name, at once', async () => {
  const { dryRun } = invalidJob(cause('metadata.name', 'bad'), cause('spec.parallelism'));
  expect(await dryRun()).toEqual({
    errors: [cause('spec.jobTemplate.spec.parallelism')],
    warnings: ['metadata.name: its Jobs would be refused for their names: bad; choose a shorter or plainer name'],
  });
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

test('takes a name that is taken for a yes: it is looked at last', async () => {
  expect(await refusing(409, 'exists', { reason: 'AlreadyExists' }).dryRun()).toEqual(PASSED);
});

const withCause = (cause: StatusCause) => ({ causes: [{ reason: 'FieldValueInvalid', message: 'no', ...cause }] });

interface Answer {
  readonly name: string;
  readonly code: number;
  readonly message: string;
  readonly causes?: readonly StatusCause[];
}

test.each<Answer>([
  { name: 'missing rights', code: 403, message: 'jobs.batch is forbidden' },
  { name: 'a full quota', code: 403, message: 'exceeded quota' },
  { name: 'a missing namespace', code: 404, message: 'namespaces "x" not found' },
  { name: 'a quota that was changed meanwhile', code: 409, message: 'conflict' },
  { name: 'too many requests', code: 429, message: 'slow down' },
  { name: 'a server in trouble', code: 500, message: 'etcd' },
  { name: 'a server that starts', code: 503, message: 'starting' },
  { name: 'a webhook that knows no dry run', code: 400, message: 'admission webhook "x" does not support dry run' },
  {
    name: 'a webhook that quotes the API server',
    code: 400,
    message: 'admission webhook "x" denied the request: Job in version "v1" cannot be handled as a Job: no',
  },
  {
    name: 'a body that cannot be read, with another code',
    code: 403,
    message: 'Job in version "v1" cannot be handled as a Job: x',
  },
  {
    name: 'a webhook that says 422',
    code: 422,
    message: 'admission webhook "x" denied the request: no',
    ...withCause({ field: 'spec.parallelism' }),
  },
  { name: 'a policy, whose causes have no field', code: 422, message: 'denied request', ...withCause({}) },
  { name: 'a field of some other name', code: 422, message: 'invalid', ...withCause({ field: 'specification' }) },
  { name: 'other metadata', code: 422, message: 'invalid', ...withCause({ field: 'metadata.namespace' }) },
  { name: 'a field, with another code', code: 403, message: 'no', ...withCause({ field: 'spec.parallelism' }) },
  { name: 'a 422 without causes', code: 422, message: 'invalid' },
])('warns of $name, and lets pass', async ({ code, message, causes = [] }) => {
  const { dryRun, log } = refusing(code, message, { causes });
  expect(await dryRun()).toEqual({ errors: [], warnings: [couldNotCheck(message)] });
  expect(log.records).toEqual([{ level: 'info', message: 'could not check jobTemplate', fields: { reason: message } }]);
});

test('looks itself at what is wrong most often when the API server cannot be asked', async () => {
  const jobTemplate = {
    spec: { template: { spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } } },
  };
  const { errors, warnings } = await refusing(403, 'no rights').dryRun(cronJob({ jobTemplate }));
  expect(errors.map(({ field }) => field)).toEqual(['spec.jobTemplate.spec.template.spec.restartPolicy']);
  expect(warnings).toEqual([couldNotCheck('no rights')]);
});

test('cuts short what the API server says, and never its own fix', async () => {
  const { dryRun } = refusing(500, 'x'.repeat(500));
  const { warnings } = await dryRun();
  expect(warnings).toEqual([couldNotCheck(`${'x'.repeat(140)}…`)]);
  expect(warnings[0]?.length).toBeLessThan(256);
});

test('waits three seconds for an answer, then warns', async () => {
  const { clock, transport, dryRun } = setUp(() => new Promise(() => {}));
  const verdict = dryRun();
  await clock.advance(2999);
  expect(transport.requests.map(({ signal }) => signal?.aborted)).toEqual([false]);
  await clock.advance(1);
  expect(await verdict).toEqual({ errors: [], warnings: [couldNotCheck('not done within 3000 ms')] });
  expect(transport.requests.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

test('waits no longer than who asks', async () => {
  const { caller, clock, dryRun } = setUp(() => new Promise(() => {}));
  const verdict = dryRun();
  caller.abort(new Error('gone'));
  expect(await verdict).toEqual({ errors: [], warnings: [couldNotCheck('gone')] });
  expect(clock.pendingTimers).toBe(0);
});

test.each([{}, { metadata: 'x', spec: 7 }, { metadata: { labels: 1 } }, { spec: null }])(
  'sends a template that is %j as it is: the API server says what is wrong',
  async (jobTemplate) => {
    const { dryRun, transport } = setUp();
    expect(await dryRun(cronJob({ jobTemplate: jobTemplate as CronJob['spec']['jobTemplate'] }))).toEqual(PASSED);
    expect(transport.requests).toHaveLength(1);
  },
);

test.each([undefined, null, 'x'])('does not reject when the spec is %j', async (spec) => {
  const broken = { ...cronJob(), spec } as unknown as CronJob;
  expect((await setUp().dryRun(broken)).warnings).toHaveLength(1);
});
