/** The CRD on a real API server: its installation, how it stores a CronJob, and the output of kubectl. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CustomResourceDefinition, readKubernetesSchemas } from 'controller-runtime/manifests';
import { eventually } from 'controller-runtime/testing';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { JOB_TEMPLATE_SPEC } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { readJobTemplateSchema } from '../../hack/crd/cronjob-crd.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { create, createTestNamespace, cronJob, jobTemplate, kubectl, patchStatus, run } from './support/crd.ts';
import { REALISTIC_JOB_TEMPLATE } from './support/realistic-job-template.ts';

const ROOT = join(import.meta.dirname, '../..');
const CRD_FILE = join(ROOT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`);

/** Types of the conditions that are True. Not `kubectl wait`, because it fails on a CRD that does not have a condition yet. */
async function listTrueConditions(name: string): Promise<readonly string[]> {
  const crd = JSON.parse(await kubectl(['get', 'crd', name, '-o', 'json'])) as {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  const trueConditions = crd.status?.conditions?.filter(({ status }) => status === 'True') ?? [];
  return trueConditions.map(({ type }) => type).toSorted();
}

/** Cells of the table that `kubectl get` prints; at least two spaces separate columns. */
function parseTable(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));
}

beforeAll(async () => {
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', CRD_FILE]);
  await eventually(async () => expect(await listTrueConditions(`${PLURAL}.${GROUP}`)).toContain('Established'));
});

test.each([
  { how: 'client-side', args: [] },
  { how: 'server-side', args: ['--server-side'] },
])('installs on a new cluster, applied $how', async ({ how, args }) => {
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
  await eventually(async () => expect(await listTrueConditions(name)).toContain('Established'));
  expect(await listTrueConditions(name)).toEqual(['Established', 'NamesAccepted']);
});

test('the checked-in job template is what this API server serves', async () => {
  const file = join(createTemporaryFolder(), 'schemas.json');
  const command = join(ROOT, 'runtime/manifests/fetch-schemas-command.ts');
  const env = { ...process.env, KUBECONFIG: inject('kubeconfig') };
  await promisify(execFile)(process.execPath, [command, file, JOB_TEMPLATE_SPEC], { env });
  const fetched = readKubernetesSchemas(file);
  const { kubernetesVersion, schema } = readJobTemplateSchema();
  expect(parseMinor(fetched.kubernetesVersion), 'the API server is of the pinned minor version').toBe(
    parseMinor(kubernetesVersion),
  );
  expect(fetched.schemas).toEqual({ [JOB_TEMPLATE_SPEC]: schema });
});

test('sets the defaults and no other field', async () => {
  const manifest = cronJob('defaults');
  const { spec } = await create(await createTestNamespace(), manifest);
  expect(spec).toEqual({
    ...manifest.spec,
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
});

const withMetadata = (metadata: object) => ({
  metadata,
  spec: { template: { ...jobTemplate.spec.template, metadata } },
});

test.each([
  { what: 'a realistic template', template: REALISTIC_JOB_TEMPLATE },
  { what: 'labels and annotations', template: withMetadata({ labels: { a: 'b' }, annotations: { c: 'd' } }) },
  // Older clients send null. Without webhooks it is stored, and readers treat it as absent (docs/adr/0036-null.md).
  { what: 'creationTimestamp: null', template: withMetadata({ creationTimestamp: null, labels: { a: 'b' } }) },
  { what: 'manualSelector: false', template: { spec: { ...jobTemplate.spec, manualSelector: false } } },
])('better: stores $what unchanged, as the API server does in a Job', async ({ template }) => {
  const namespace = await createTestNamespace();
  const { spec } = await create(namespace, cronJob('stored', { jobTemplate: template }));
  expect(spec.jobTemplate).toEqual(template);
  const { metadata, ...job } = spec.jobTemplate;
  await kubectl(['create', '-n', namespace, '--dry-run=server', '-f', '-'], {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadata, name: 'stored' },
    ...job,
  });
});

const selectors = [
  { field: 'selector', value: { matchLabels: { app: 'a' } }, want: '`selector` will be auto-generated; remove it' },
  { field: 'selector', value: {}, want: '`selector` will be auto-generated; remove it' },
  { field: 'manualSelector', value: true, want: 'must not be true, because the selector of each Job' },
];

test.each(selectors)('refuses $field $value in a template, as batch/v1 does', async ({ field, value, want }) => {
  const namespace = await createTestNamespace();
  const manifest = cronJob('selector', { jobTemplate: { spec: { ...jobTemplate.spec, [field]: value } } });
  const create = (manifest: object) => run(['create', '--dry-run=server', '-n', namespace, '-f', '-'], manifest);
  const batchResult = await create({ ...manifest, apiVersion: 'batch/v1' });
  expect(batchResult.stderr).toContain(`spec.jobTemplate.spec.${field}: `);
  const { code, stderr } = await create(manifest);
  expect(code).toBe(1);
  expect(stderr).toContain(`spec.jobTemplate.spec.${field}: Invalid value: `);
  expect(stderr).toContain(want);
});

const OVERDUE = {
  type: 'Overdue',
  status: 'True',
  reason: 'NoRecentSuccess',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

test('kubectl get tcj shows the state of each CronJob', async () => {
  const namespace = await createTestNamespace();
  await create(namespace, cronJob('columns', { timeZone: 'Europe/Berlin' }));
  await patchStatus(namespace, 'columns', {
    activeCount: 12,
    lastScheduleTime: new Date(Date.now() - 30 * 3_600_000).toISOString(),
    nextScheduleTime: '2099-01-01T00:00:00Z',
    lastRun: { jobName: 'columns-1', result: 'Succeeded' },
    paused: { reason: 'TooManyFailures', since: '2026-01-01T00:00:00Z' },
    conditions: [OVERDUE],
  });
  const [head, row] = parseTable(await kubectl(['get', 'tcj', '-n', namespace]));
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

  const [wideHead, wideRow] = parseTable(await kubectl(['get', 'tcj', '-n', namespace, '-o', 'wide']));
  const columns = Object.fromEntries((wideHead ?? []).map((column, i) => [column, wideRow?.[i]]));
  expect(columns).toMatchObject({ TIMEZONE: 'Europe/Berlin', OVERDUE: 'True', PAUSED: 'TooManyFailures' });
});

test('kubectl explain describes each field and its default', async () => {
  // The API server publishes the documentation a moment after it establishes the CRD.
  const explain = (path: string) => run(['explain', path, '--api-version', API_VERSION]);
  await eventually(async () => expect(await explain('tcj.spec.timeZone')).toMatchObject({ code: 0 }));
  const prose = async (path: string) => (await explain(path)).stdout.replaceAll(/\s+/g, ' ');
  expect(await prose('tcj.spec.timeZone')).toContain('IANA name of the time zone');
  expect(await prose('tcj.spec.concurrencyPolicy')).toContain('Defaults to Allow.');
  expect(await prose('tcj.spec.jobTemplate.spec.template.spec.containers')).toContain('imagePullPolicy <string>');
  expect(await prose('tcj.status.nextScheduleTime')).toContain('Scheduled time of the next run.');
});

/** `v1.36` for `v1.36.3`: patch releases do not change the API. */
function parseMinor(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
