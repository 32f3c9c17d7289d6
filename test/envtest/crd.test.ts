/** The CRD on a real API server, through kubectl as a person would use it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CustomResourceDefinition, readKubernetesSchemas } from 'controller-runtime/manifests';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { MAX_NAME_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { type CronJobSpec, type CronJobStatus, JOB_TEMPLATE_SPEC } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, GROUP, KIND, PLURAL } from '../../api/v1/groupversion.ts';
import { readJobTemplateSchema } from '../../hack/crd/cronjob-crd.ts';
import { createNamespace } from '../support/namespace.ts';
import '../support/provided.ts';
import { REALISTIC_JOB_TEMPLATE } from './realistic-job-template.ts';

const ROOT = join(import.meta.dirname, '../..');
const CRD_FILE = join(ROOT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`);
/** Of this run only: kubectl's own cache outlives the API server that a port belonged to. */
const CACHE_DIR = mkdtempSync(join(tmpdir(), 'kubectl-'));

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], input?: unknown): Promise<Answer> {
  const global = ['--kubeconfig', inject('kubeconfig'), '--cache-dir', CACHE_DIR];
  return new Promise((resolve) => {
    const child = execFile(inject('kubectl'), [...global, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

async function kubectl(args: readonly string[], input?: unknown): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Types of the conditions that hold. Not `kubectl wait`: it fails on a CRD that has no condition yet. */
async function crdConditions(name: string): Promise<readonly string[]> {
  const crd = JSON.parse(await kubectl(['get', 'crd', name, '-o', 'json'])) as {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  const holding = crd.status?.conditions?.filter(({ status }) => status === 'True') ?? [];
  return holding.map(({ type }) => type).toSorted();
}

const newNamespace = () => createNamespace(inject('apiServer'), 'crd');

const jobTemplate = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
};

/** A CronJob that is good but for `spec`. */
function cronJob(name: string, spec: Readonly<Record<string, unknown>> = {}) {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name },
    spec: { schedule: '0 * * * *', jobTemplate, ...spec },
  };
}

interface Stored {
  readonly metadata: { readonly generation: number };
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

async function create(namespace: string, manifest: unknown): Promise<Stored> {
  return JSON.parse(await kubectl(['create', '-n', namespace, '-f', '-', '-o', 'json'], manifest)) as Stored;
}

async function patchStatus(namespace: string, name: string, status: Partial<CronJobStatus>): Promise<Answer> {
  const patch = ['--type=merge', '--subresource=status', '-p', JSON.stringify({ status }), '-o', 'json'];
  return run(['patch', 'tcj', name, '-n', namespace, ...patch]);
}

/** Cells of the table that `kubectl get` prints; columns are two spaces or more apart. */
function table(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));
}

beforeAll(async () => {
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', CRD_FILE]);
  await eventually(async () => expect(await crdConditions(`${PLURAL}.${GROUP}`)).toContain('Established'));
});

afterAll(() => rmSync(CACHE_DIR, { recursive: true, force: true }));

test.each([
  { how: 'client-side', args: [] },
  { how: 'server-side', args: ['--server-side'] },
])('installs on a cluster that has never seen it, applied $how', async ({ how, args }) => {
  const crd = parse(readFileSync(CRD_FILE, 'utf8')) as CustomResourceDefinition;
  const { shortNames: _, ...names } = crd.spec.names;
  const group = `${how}.crdtest.example.com`;
  const name = `${PLURAL}.${group}`;
  onTestFinished(async () => {
    await kubectl(['delete', 'crd', name, '--wait=false']);
  });
  await kubectl(['apply', ...args, '-f', '-'], {
    ...crd,
    metadata: { ...crd.metadata, name },
    spec: { ...crd.spec, group, names },
  });
  await eventually(async () => expect(await crdConditions(name)).toContain('Established'));
  expect(await crdConditions(name)).toEqual(['Established', 'NamesAccepted']);
});

test('kustomize builds the CRD as it is generated', async () => {
  const built: unknown = parse(await kubectl(['kustomize', join(ROOT, 'config/crd')]));
  expect(built).toEqual(parse(readFileSync(CRD_FILE, 'utf8')));
});

test('the checked-in job template is what this API server would give', async () => {
  const file = join(CACHE_DIR, 'schemas.json');
  const command = join(ROOT, 'runtime/manifests/fetch-schemas-command.ts');
  const env = { ...process.env, KUBECONFIG: inject('kubeconfig') };
  await promisify(execFile)(process.execPath, [command, file, JOB_TEMPLATE_SPEC], { env });
  const fetched = readKubernetesSchemas(file);
  const { kubernetesVersion, schema } = readJobTemplateSchema();
  expect(minorOf(fetched.kubernetesVersion), 'the API server is of the pinned minor version').toBe(
    minorOf(kubernetesVersion),
  );
  expect(fetched.schemas).toEqual({ [JOB_TEMPLATE_SPEC]: schema });
});

test('fills in the defaults and nothing else', async () => {
  const sent = cronJob('defaults');
  const { spec } = await create(await newNamespace(), sent);
  expect(spec).toEqual({
    ...sent.spec,
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
});

test('prunes nothing of a realistic template, which is one that the API server takes as a Job too', async () => {
  const namespace = await newNamespace();
  const { spec } = await create(namespace, cronJob('realistic', { jobTemplate: REALISTIC_JOB_TEMPLATE }));
  expect(spec.jobTemplate).toEqual(REALISTIC_JOB_TEMPLATE);
  const { metadata, ...job } = spec.jobTemplate;
  await kubectl(['create', '-n', namespace, '--dry-run=server', '-f', '-'], {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadata, name: 'realistic' },
    ...job,
  });
});

test('better: keeps labels and annotations of the Job and of its pods', async () => {
  const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
  const template = { metadata, spec: { template: { ...jobTemplate.spec.template, metadata } } };
  const { spec } = await create(await newNamespace(), cronJob('labels', { jobTemplate: template }));
  expect(spec.jobTemplate).toEqual(template);
});

test('takes manifests of older clients, which say creationTimestamp: null in templates', async () => {
  const metadata = { creationTimestamp: null, labels: { a: 'b' } };
  const template = { metadata, spec: { template: { ...jobTemplate.spec.template, metadata } } };
  const { spec } = await create(await newNamespace(), cronJob('null', { jobTemplate: template }));
  expect(spec.jobTemplate.metadata).toEqual({ labels: { a: 'b' } });
});

const withContainer = (container: unknown) => ({
  jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
});
const CONTAINER = 'spec.jobTemplate.spec.template.spec.containers[0]';

const refused: readonly { name: string; spec: Readonly<Record<string, unknown>>; want: readonly string[] }[] = [
  {
    name: 'a concurrency policy that does not exist',
    spec: { concurrencyPolicy: 'Sometimes' },
    want: ['spec.concurrencyPolicy: Unsupported value: "Sometimes"', '"Allow", "Forbid", "Replace"'],
  },
  {
    name: 'a negative limit of successful Jobs',
    spec: { successfulJobsHistoryLimit: -1 },
    want: ['spec.successfulJobsHistoryLimit: Invalid value: -1', 'greater than or equal to 0'],
  },
  {
    name: 'a negative limit of failed Jobs',
    spec: { failedJobsHistoryLimit: -1 },
    want: ['spec.failedJobsHistoryLimit: Invalid value: -1', 'greater than or equal to 0'],
  },
  {
    name: 'a limit beyond 32 bits',
    spec: { failedJobsHistoryLimit: 2 ** 31 },
    want: ['spec.failedJobsHistoryLimit', 'int32'],
  },
  {
    name: 'a negative deadline',
    spec: { startingDeadlineSeconds: -1 },
    want: ['spec.startingDeadlineSeconds: Invalid value: -1', 'greater than or equal to 0'],
  },
  { name: 'an empty schedule', spec: { schedule: '' }, want: ['spec.schedule: Invalid value: ""'] },
  { name: 'no schedule', spec: { schedule: undefined }, want: ['spec.schedule: Required value'] },
  { name: 'a schedule beyond measure', spec: { schedule: '*'.repeat(1025) }, want: ['spec.schedule: Too long'] },
  { name: 'an empty time zone', spec: { timeZone: '' }, want: ['spec.timeZone: Invalid value: ""'] },
  {
    name: 'a time zone beyond measure',
    spec: { timeZone: 'x'.repeat(MAX_TIME_ZONE_LENGTH + 1) },
    want: ['spec.timeZone: Too long'],
  },
  { name: 'no template', spec: { jobTemplate: undefined }, want: ['spec.jobTemplate: Required value'] },
  {
    name: 'a container without a name',
    spec: withContainer({ image: 'i' }),
    want: [`${CONTAINER}.name: Required value`],
  },
  {
    name: 'a misspelt field of a container',
    spec: withContainer({ name: 'c', image: 'i', comand: ['x'] }),
    want: [`unknown field "${CONTAINER}.comand"`],
  },
  {
    name: 'a quantity that is none',
    spec: withContainer({ name: 'c', image: 'i', resources: { limits: { memory: '1GB!' } } }),
    want: [`${CONTAINER}.resources.limits.memory: Invalid value: "1GB!"`],
  },
];

const selectors = [
  { field: 'selector', value: { matchLabels: { app: 'a' } }, want: '`selector` will be auto-generated; remove it' },
  { field: 'selector', value: {}, want: '`selector` will be auto-generated; remove it' },
  { field: 'manualSelector', value: true, want: 'must not be true, because the selector of each Job' },
];

test.each(selectors)('refuses $field $value in a template, as batch/v1 does', async ({ field, value, want }) => {
  const namespace = await newNamespace();
  const given = cronJob('selector', { jobTemplate: { spec: { ...jobTemplate.spec, [field]: value } } });
  const create = (manifest: object) => run(['create', '--dry-run=server', '-n', namespace, '-f', '-'], manifest);
  const builtIn = await create({ ...given, apiVersion: 'batch/v1' });
  expect(builtIn.stderr).toContain(`spec.jobTemplate.spec.${field}: `);
  const { code, stderr } = await create(given);
  expect(code).toBe(1);
  expect(stderr).toContain(`spec.jobTemplate.spec.${field}: Invalid value: `);
  expect(stderr).toContain(want);
});

test('takes manualSelector: false in a template, as batch/v1 does', async () => {
  const template = { spec: { ...jobTemplate.spec, manualSelector: false } };
  const { spec } = await create(await newNamespace(), cronJob('selector', { jobTemplate: template }));
  expect(spec.jobTemplate).toEqual(template);
});

test.each(refused)('refuses $name and names the field', async ({ spec, want }) => {
  const { code, stderr } = await run(['create', '-n', await newNamespace(), '-f', '-'], cronJob('refused', spec));
  expect(code).toBe(1);
  for (const part of want) expect(stderr.replaceAll('\\"', '"')).toContain(part);
});

test('takes the longest name and refuses a longer one, saying what to do', async () => {
  const namespace = await newNamespace();
  await create(namespace, cronJob('n'.repeat(MAX_NAME_LENGTH)));
  const { code, stderr } = await run(['create', '-n', namespace, '-f', '-'], cronJob('n'.repeat(MAX_NAME_LENGTH + 1)));
  expect(code).toBe(1);
  expect(stderr).toContain(`metadata.name: Invalid value: must be no more than ${MAX_NAME_LENGTH} characters`);
  expect(stderr).toContain('choose a shorter name');
});

const condition = {
  type: 'Available',
  status: 'True',
  reason: 'JobsActive',
  message: '',
  lastTransitionTime: '2026-11-21T10:00:00Z',
} as const;

test('keeps a status with more active Jobs than the tutorial can hold, and no other change of a status write', async () => {
  const namespace = await newNamespace();
  const { spec, metadata } = await create(namespace, cronJob('busy'));
  const status: CronJobStatus = {
    active: Array.from({ length: 25 }, (_, i) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace,
      name: `busy-${i}`,
    })),
    activeCount: 25,
    lastScheduleTime: '2026-11-21T10:00:00Z',
    lastSuccessfulTime: '2026-11-21T09:00:00Z',
    lastFailureTime: '2026-11-21T08:00:00Z',
    nextScheduleTime: '2026-11-21T11:00:00Z',
    lastRun: { jobName: 'busy-24', scheduledTime: '2026-11-21T10:00:00Z', result: 'Running' },
    effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: '2026-11-21T07:30:00Z' },
    handledThrough: '2026-11-21T10:00:00Z',
    lastManualRun: 'once',
    observedGeneration: 1,
    conditions: [condition],
  };
  const patch = JSON.stringify({ spec: { suspend: true }, status });
  const args = ['patch', 'tcj', 'busy', '-n', namespace, '--type=merge', '--subresource=status', '-p', patch];
  const stored = JSON.parse(await kubectl([...args, '-o', 'json'])) as Stored;
  expect(stored.status).toEqual(status);
  expect(stored.spec).toEqual(spec);
  expect(stored.metadata.generation).toBe(metadata.generation);
});

test.each([
  { name: 'two conditions of one type', status: { conditions: [condition, condition] }, want: 'status.conditions[1]' },
  {
    name: 'a reason that is a sentence',
    status: { conditions: [{ ...condition, reason: 'It is so.' }] },
    want: 'status.conditions[0].reason',
  },
  {
    name: 'a result that does not exist',
    status: { lastRun: { jobName: 'x', result: 'Perhaps' as 'Unknown' } },
    want: 'status.lastRun.result',
  },
  { name: 'a time that is none', status: { lastScheduleTime: 'noon' }, want: 'status.lastScheduleTime' },
])('refuses in the status $name', async ({ status, want }) => {
  const namespace = await newNamespace();
  await create(namespace, cronJob('status'));
  const { code, stderr } = await patchStatus(namespace, 'status', status);
  expect(code).toBe(1);
  expect(stderr).toContain(want);
});

test('kubectl get tcj shows how it stands', async () => {
  const namespace = await newNamespace();
  await create(namespace, cronJob('columns', { timeZone: 'Europe/Berlin' }));
  await patchStatus(namespace, 'columns', {
    activeCount: 12,
    lastScheduleTime: new Date(Date.now() - 30 * 3_600_000).toISOString(),
    nextScheduleTime: '2099-01-01T00:00:00Z',
    lastRun: { jobName: 'columns-1', result: 'Succeeded' },
  });
  const [head, row] = table(await kubectl(['get', 'tcj', '-n', namespace]));
  expect(head).toEqual([
    'NAME',
    'SCHEDULE',
    'SUSPEND',
    'ACTIVE',
    'LAST SCHEDULE',
    'NEXT SCHEDULE',
    'LAST RESULT',
    'AGE',
  ]);
  const [age] = row?.slice(-1) ?? [];
  expect(row).toEqual(['columns', '0 * * * *', 'false', '12', '30h', '2099-01-01T00:00:00Z', 'Succeeded', age]);

  const [wideHead, wideRow] = table(await kubectl(['get', 'tcj', '-n', namespace, '-o', 'wide']));
  expect(wideRow?.[wideHead?.indexOf('TIMEZONE') ?? -1]).toBe('Europe/Berlin');
});

test('kubectl explain tells what a field means and what it is when unset', async () => {
  // The API server publishes the documentation a moment after it has established the CRD.
  const explain = (path: string) => run(['explain', path, '--api-version', API_VERSION]);
  await eventually(async () => expect(await explain('tcj.spec.timeZone')).toMatchObject({ code: 0 }));
  const prose = async (path: string) => (await explain(path)).stdout.replaceAll(/\s+/g, ' ');
  expect(await prose('tcj.spec.timeZone')).toContain('IANA name of the time zone');
  expect(await prose('tcj.spec.concurrencyPolicy')).toContain('Defaults to Allow.');
  expect(await prose('tcj.spec.jobTemplate.spec.template.spec.containers')).toContain('imagePullPolicy <string>');
  expect(await prose('tcj.status.nextScheduleTime')).toContain('Scheduled time of the next run.');
});

/** `v1.36` of `v1.36.3`: patches do not change the API. */
function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
