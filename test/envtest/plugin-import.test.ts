/** kubectl tcj import on a real API server. The test simulates Kubernetes' controller; test/e2e/chapters/imports.ts runs it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CronJob as SourceCronJob } from 'controller-runtime/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
import { AdmissionGate, CRON_JOB_CREATES } from '../support/admission-gate.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { createSource, getSource, sources, YEARLY } from './support/batch-source.ts';
import { tcj, tcjWithTerminal } from './support/tcj.ts';

/** A Job that Kubernetes' controller would have started. */
async function startRunOfSource({ spec, metadata }: SourceCronJob, scene: Scene, name: string): Promise<void> {
  const { namespace, uid } = metadata;
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: metadata.name, uid, controller: true };
  const template = spec.jobTemplate.spec ?? { template: {} };
  await scene.client.create(jobs, { metadata: { name, namespace, ownerReferences: [owner] }, spec: template });
}

test('a dry run shows the new object and the differences, and changes nothing', async () => {
  await using scene = await Scene.open();
  const annotations = { 'meta.helm.sh/release-name': 'work', 'meta.helm.sh/release-namespace': scene.namespace };
  const spec = { schedule: '30 2 * * *', concurrencyPolicy: 'Forbid' } as const;
  const source = await createSource(scene, { spec, metadata: { annotations } });
  const { code, out, err } = await tcj(scene, 'import backup --dry-run');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('# spec.timeZone is not set: this operator uses UTC');
  expect(out).toMatch(/^# Warning: spec\.concurrencyPolicy/m);
  expect(out).toContain(
    '\n# the batch/v1 CronJob belongs to the Helm release work: the next helm upgrade creates it again',
  );
  const [document] = parseAllDocuments(out);
  const written = document?.toJS();
  expect(written.spec).toEqual({ ...source.spec, suspend: false });
  expect(await scene.client.list(CronJob, { namespace: scene.namespace })).toEqual([]);
  expect((await getSource(scene))?.metadata.resourceVersion).toBe(source.metadata.resourceVersion);
});

test('reports what this operator refuses before it changes anything', async () => {
  await using scene = await Scene.open();
  const env = [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
  ];
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox', env }] } };
  await createSource(scene, { spec: { jobTemplate: { spec: { template } } } });
  const { code, out, err } = await tcj(scene, 'import backup');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^\S+\/backup: the API server: .*Duplicate value: .*"name":"A"/);
  expect(err).toContain('env[1]: Duplicate value: "A": is at [0], [1]; batch/v1 uses the last one: keep [1]');
  expect((await getSource(scene))?.spec.suspend).toBe(false);
});

// Each test waits ten seconds or more until the source no longer changes.
test.concurrent('it is moved, begun again it goes on, and the source is deleted after a success', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  const source = await createSource(scene, { metadata: { labels: { team: 'data' } } });
  const imported = await tcj(scene, 'import -l team=data');
  expect(imported.err).toMatch(
    /^suspended in batch\/v1: 1; waiting .*\n\S+\/backup: the batch\/v1 CronJob stays, suspended; to delete it, run the same command again after a successful run\n$/,
  );
  expect(imported).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^\S+\/backup imported: batch\/v1 handled scheduled times up to \S+Z; later ones run in the new CronJob\n$/,
    ),
  });
  const { metadata, spec } = await scene.cronJob('backup');
  expect(metadata.labels).toEqual({ team: 'data' });
  expect(metadata.annotations?.['batch.tutorial.kubebuilder.io/imported-from']).toBe(source.metadata.uid);
  expect(spec.suspend).toBe(false);
  await scene.waitUntilObserved('backup');
  expect((await scene.cronJob('backup')).status?.effectiveSchedule?.since).toBe(
    metadata.annotations?.['batch.tutorial.kubebuilder.io/takes-over-from'],
  );
  expect((await getSource(scene))?.spec.suspend).toBe(true);

  const again = await tcj(scene, 'import --all --dry-run');
  expect(again).toEqual({
    code: 0,
    out: `---\n# ${scene.namespace}/backup\n# Already imported; nothing to do.\n`,
    err: '',
  });

  const timedOut = await tcj(scene, 'import backup --wait --timeout 1s');
  expect(timedOut).toMatchObject({ code: 1, out: '' });
  expect(timedOut.err).toMatch(
    /\n\S+\/backup: timed out after 1 s; the batch\/v1 CronJob stays, suspended; to delete it, /,
  );
  const terminal = new CapturedTerminal();
  // The API server's clock has advanced.
  await scene.clock.advance(60_000);
  const waiting = tcjWithTerminal(terminal, scene, 'import backup --wait');
  await tcj(scene, 'run backup');
  const [job] = await scene.waitForJobs(1);
  if (job) await scene.finish(job, 'Complete');
  expect(await waiting).toBe(0);
  expect(terminal.texts).toEqual({
    out: expect.stringMatching(/^\S+\/backup succeeded; the batch\/v1 CronJob and its Jobs are deleted\n$/),
    err: expect.stringMatching(
      /^\S+\/backup: waiting for a successful run of the new CronJob, to delete the suspended batch\/v1 CronJob\n$/,
    ),
  });
  expect(await getSource(scene)).toBeUndefined();

  expect(await tcj(scene, 'import backup --revert --dry-run')).toEqual({
    code: 0,
    out: expect.stringMatching(/^\S+\/backup recreated in batch\/v1 and deleted here, with its Jobs \(dry run\)\n$/),
    err: '',
  });
  expect((await scene.cronJob('backup')).spec.suspend).toBe(false);
  expect(await tcj(scene, 'import backup --revert')).toEqual({
    code: 0,
    out: expect.stringMatching(/^\S+\/backup runs in batch\/v1 again; deleting it here, with its Jobs\n$/),
    err: '',
  });
  const reverted = await getSource(scene);
  expect(reverted?.spec).toEqual(source.spec);
  expect(reverted?.metadata.annotations).toBeUndefined();
  expect(await scene.client.list(CronJob, { namespace: scene.namespace })).toEqual([]);
});

test('suspends nothing without a manager in the namespace', async () => {
  await using scene = await Scene.open();
  await createSource(scene);
  const { namespace, clock } = scene;
  const { code, err } = await tcj({ namespace, clock, willTimeOut: true }, 'import backup');
  expect(code).toBe(1);
  expect(err).toMatch(
    /^\S+: no manager reconciled a new CronJob in namespace \S+ within 20 s, so nothing was changed; /,
  );
  expect((await getSource(scene))?.spec.suspend).toBe(false);
  expect(await scene.client.list(CronJob, { namespace: scene.namespace })).toEqual([]);
});

test.concurrent('a run that the source started meanwhile is waited for under Forbid, and its time does not run again', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  const source = await createSource(scene, { spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid' } });
  const minutes = Math.floor(Date.now() / 60_000);
  await startRunOfSource(source, scene, `backup-${minutes}`);
  const terminal = new CapturedTerminal();
  const importing = tcjWithTerminal(terminal, scene, 'import backup --keep-source');
  const [job] = await scene.waitForJobs(1);
  await scene.eventually(async () => expect((await getSource(scene))?.spec.suspend).toBe(true));
  if (job) await scene.finish(job, 'Complete');
  expect(await importing).toBe(0);
  const from = new Date(minutes * 60_000).toISOString().replace('.000', '');
  const [, upTo = ''] = /imported: batch\/v1 handled scheduled times up to (\S+Z);/.exec(terminal.texts.out) ?? [];
  expect(Date.parse(upTo)).toBeGreaterThanOrEqual(Date.parse(from));
  await scene.waitUntilObserved('backup');
  expect((await scene.jobs()).map(({ metadata }) => metadata.name)).not.toContain(`backup-${minutes * 60}`);
});

test.concurrent('when ours is refused in the end, the source runs on as before', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await createSource(scene);
  const { namespace, client } = scene;
  await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [CRON_JOB_CREATES] });
  // The dry run and the CronJob that shows whether a manager works may succeed.
  gate.verdict = ({ name, isDryRun }) => (name === 'backup' && !isDryRun ? 'deny' : 'allow');
  const { code, out, err } = await tcj(scene, 'import backup');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /\/backup: the API server: admission webhook .* denied .*The batch\/v1 CronJob continues as before\n$/,
  );
  const source = await getSource(scene);
  expect(source?.spec.suspend).toBe(false);
  expect(source?.metadata.annotations ?? {}).toEqual({});
});

test('skips CronJobs that other tools own', async () => {
  await using scene = await Scene.open();
  const annotations = {
    tracked: { 'argocd.argoproj.io/tracking-id': 'work:batch/CronJob:a/backup' },
    imported: { 'batch.tutorial.kubebuilder.io/imported-as': 'gone' },
  };
  await createSource(scene);
  await scene.createCronJob({ schedule: YEARLY }, 'backup');
  for (const [name, its] of Object.entries(annotations))
    await createSource(scene, { metadata: { name, annotations: its } });
  for (const [line, reason] of [
    ['import tracked', /it is managed by Argo CD \(/],
    ['import imported', /it was imported before/],
    ['import backup', /a CronJob of this operator has this name and was not imported from it/],
    ['import backup --revert', /\/backup: it was not imported from batch\/v1\n$/],
  ] as const) {
    expect(await tcj(scene, line)).toMatchObject({ code: 1, err: expect.stringMatching(reason) });
  }
  const all = await scene.client.list(sources, { namespace: scene.namespace });
  expect(all.map(({ spec }) => spec.suspend)).toEqual([false, false, false]);
});

test('imports a suspended CronJob suspended, and reverts it without a run', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await createSource(scene, { spec: { suspend: true } });
  expect(await tcj(scene, 'import backup --keep-source')).toEqual({
    code: 0,
    out: expect.stringMatching(/^\S+\/backup imported\n$/),
    err: '',
  });
  expect((await scene.cronJob('backup')).spec.suspend).toBe(true);
  await scene.waitUntilObserved('backup');
  expect((await tcj(scene, 'import backup --revert')).code).toBe(0);
  expect((await getSource(scene))?.status?.lastScheduleTime).toBeUndefined();
});

test('names the fields that the source lacks, also when the source exists', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  const { metadata } = await createSource(scene, { spec: { suspend: true } });
  const importedFrom = { 'batch.tutorial.kubebuilder.io/imported-from': metadata.uid };
  const ownSpec = { schedule: YEARLY, schedules: ['@yearly'], jitterSeconds: 60 };
  await scene.createCronJob(ownSpec, 'backup', importedFrom);
  const err =
    `${scene.namespace}/backup: spec.jitterSeconds does not exist in batch/v1 and is omitted.\n` +
    `${scene.namespace}/backup: spec.schedules does not exist in batch/v1 and is omitted.\n`;
  expect(await tcj(scene, 'import backup --revert --dry-run')).toMatchObject({ code: 0, err });
  expect(await tcj(scene, 'import backup --revert')).toMatchObject({ code: 0, err });
  expect((await getSource(scene))?.metadata.uid).toBe(metadata.uid);
});

test('--print writes manifests and their commit order, only into an empty folder', async () => {
  await using scene = await Scene.open();
  await createSource(scene);
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect((await tcj(scene, 'import --all --print', folder)).code).toBe(0);
  const file = `${scene.namespace}-backup.yaml`;
  expect(await readdir(folder)).toEqual(['1-suspend', '2-create', 'README.md']);
  expect(await readFile(join(folder, '1-suspend', file), 'utf8')).toMatch(
    /^apiVersion: batch\/v1\n[\s\S]*suspend: true\n/,
  );
  expect(await readFile(join(folder, '2-create', file), 'utf8')).toMatch(
    /^# .*\napiVersion: batch\.tutorial[\s\S]*suspend: false\n/,
  );
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toMatch(/\/backup \| \w{3} \d{4}-01-01 00:00 UTC, /);
  await writeFile(join(folder, 'mine'), '');
  expect(await tcj(scene, 'import backup --print', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty'),
  });
  expect((await getSource(scene))?.spec.suspend).toBe(false);
});

test('undoes an import that was interrupted before it created the CronJob', async () => {
  await using scene = await Scene.open();
  const { metadata } = await createSource(scene);
  const annotations = { 'batch.tutorial.kubebuilder.io/suspended-for-import': 'true' };
  const body = { metadata: { annotations }, spec: { suspend: true } };
  await scene.client.patch(sources, metadata, { kind: 'merge', body });
  for (const line of ['import backup --revert --dry-run', 'import --all --revert --dry-run']) {
    expect(await tcj(scene, line)).toEqual({
      code: 0,
      out: `${scene.namespace}/backup resumed in batch/v1 (dry run)\n`,
      err: '',
    });
  }
  expect((await getSource(scene))?.spec.suspend).toBe(true);
  expect(await tcj(scene, 'import --all --revert')).toEqual({
    code: 0,
    out: `${scene.namespace}/backup resumed in batch/v1: it was suspended, but not imported yet\n`,
    err: '',
  });
  const source = await getSource(scene);
  expect(source?.spec.suspend).toBe(false);
  expect(source?.metadata.annotations ?? {}).toEqual({});
});

test('finishes an interrupted revert, also after another user resumed the new CronJob', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await createSource(scene);
  expect((await tcj(scene, 'import backup --keep-source')).code).toBe(0);
  const annotations = { 'batch.tutorial.kubebuilder.io/reverting-import': 'false' };
  await scene.patch({ metadata: { annotations }, spec: { suspend: true } }, 'backup');
  await scene.waitUntilObserved('backup');
  expect((await tcj(scene, 'why backup')).out).toMatch(
    /To do: finish the revert to batch\/v1: kubectl tcj import backup -n \S+ --revert --kubeconfig \S+\n$/,
  );
  expect(await tcj(scene, 'import backup')).toMatchObject({
    code: 1,
    err: expect.stringContaining('finish it first, with --revert'),
  });
  await tcj(scene, 'resume backup');
  expect((await tcj(scene, 'import backup --revert')).code).toBe(0);
  expect((await getSource(scene))?.spec.suspend).toBe(false);
  expect(await scene.client.list(CronJob, { namespace: scene.namespace })).toEqual([]);
});
