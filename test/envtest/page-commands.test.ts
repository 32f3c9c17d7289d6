/** The kubectl commands of docs/backup-and-restore.md and docs/from-batch-v1.md, on a real API server. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { run } from '../../hack/control-plane/run.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { readStoredObjects } from './support/stored-objects.ts';
import './support/provided.ts';

/** CronJobs as a manager has stored them, without a running manager. */
async function openSceneWithObjects(): Promise<Scene> {
  const scene = await Scene.open();
  await new EtcdObjects(inject('etcd'), scene.namespace).put(readStoredObjects(scene.namespace).cronJobs);
  return scene;
}

interface PageCommands {
  /** Prefix of the first line. The commands end with the block. */
  readonly startText: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs commands of the page only on the namespace of the scene. */
async function runCommands(scene: Scene, { startText, variables }: PageCommands): Promise<void> {
  const text = readFileSync(join(PROJECT, 'docs/backup-and-restore.md'), 'utf8');
  const start = text.indexOf(`\n${startText}`);
  expect(start).toBeGreaterThan(0);
  const commands = text.slice(start, text.indexOf('\n```', start));
  await runShell(commands.replaceAll('--all-namespaces', `--namespace=${scene.namespace}`), variables);
}

const folder = createTemporaryFolderForFile();
const runShell = (commands: string, variables: Readonly<Record<string, string>> = {}) => {
  const path = `${dirname(inject('kubectl'))}:${process.env['PATH']}`;
  const env = { ...process.env, ...variables, PATH: path, KUBECONFIG: inject('kubeconfig'), KUBECACHEDIR: folder };
  return run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env });
};
const listAll = ({ client, namespace }: Scene) => client.list(cronJobs, { namespace });

test('the backup has every CronJob, and kubectl creates them again without their statuses', async () => {
  await using scene = await openSceneWithObjects();
  const before = await listAll(scene);
  await runCommands(scene, { startText: 'kubectl get cronjobs' });
  for (const { metadata } of before) await scene.client.delete(cronJobs, metadata);
  await runShell('kubectl create -f cronjobs.yaml');
  const after = await listAll(scene);
  expect(after.map(({ metadata: { name, annotations }, spec }) => ({ name, annotations, spec }))).toEqual(
    before.map(({ metadata: { name, annotations }, spec }) => ({ name, annotations, spec })),
  );
  expect(after.filter(({ status }) => status !== undefined)).toEqual([]);
});

test('the command for a restored snapshot sets suspendUntil on every CronJob', async () => {
  await using scene = await openSceneWithObjects();
  const startText = 'kubectl get cronjobs.batch.tutorial.kubebuilder.io --all-namespaces --no-headers';
  const until = '2126-01-01T00:00:00Z';
  await runCommands(scene, { startText, variables: { until } });
  expect(new Set((await listAll(scene)).map(({ spec }) => spec.suspendUntil))).toEqual(new Set([until]));
});

describe('kubectl, as in docs/from-batch-v1.md,', () => {
  const TCJ = 'cronjobs.batch.tutorial.kubebuilder.io/hello';
  const sceneWithHello = async () => {
    const scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'hello');
    return scene;
  };
  const kubectl = ({ namespace }: Scene, line: string) => runShell(`kubectl -n ${namespace} ${line}`);

  test('takes merge patches and JSON patches, the one of the page included', async () => {
    await using scene = await sceneWithHello();
    const suspend = `-p '{"spec":{"suspend":true}}'`;
    await expect(kubectl(scene, `patch ${TCJ} ${suspend}`)).rejects.toThrow();
    await kubectl(scene, `patch ${TCJ} --type merge ${suspend}`);
    const page = readFileSync(join(PROJECT, 'docs/from-batch-v1.md'), 'utf8');
    const [, patch = ''] = /kubectl patch tcj nightly-backup (--type json \\\n {2}-p '[^']+')/.exec(page) ?? [];
    await kubectl(scene, `patch ${TCJ} ${patch}`);
    const { spec } = await scene.cronJob('hello');
    expect(spec.suspend).toBe(true);
    expect(spec.jobTemplate.spec?.template.spec?.containers[0]?.image).toBe('backup:2');
  });

  test('does not support the kind where the page names an alternative', async () => {
    await using scene = await sceneWithHello();
    const sets = ['image hello=busybox:2', 'env A=1', 'resources --limits=cpu=1'].map((each) => {
      const [what, value] = each.split(' ');
      return `set ${what} ${TCJ} ${value}`;
    });
    for (const line of [...sets, `create job other --from=${TCJ}`]) {
      await expect(kubectl(scene, line), line).rejects.toThrow('no kind "CronJob" is registered');
    }
    for (const line of [`label ${TCJ} a=b`, `annotate ${TCJ} a=b`, `describe ${TCJ}`, `delete ${TCJ}`]) {
      await kubectl(scene, line);
    }
  });
});
