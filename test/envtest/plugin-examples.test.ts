/**
 * Every example in the table of commands of kubectl tcj, on a real API server with a running manager: the commands in the help and in the
 * pages work unchanged. A new command needs no change here when its examples have the same needs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { ALL_NAMESPACES_FLAG, KUBECONFIG_FLAG, NAMESPACE_FLAG } from '../../kubectl-tcj/plugin/cluster-flags.ts';
import { connect } from '../../kubectl-tcj/plugin/cluster-session.ts';
import type { Command, CommandExample } from '../../kubectl-tcj/plugin/command.ts';
import { COMMANDS } from '../../kubectl-tcj/plugin/commands.ts';
import { runCommand } from '../../kubectl-tcj/plugin/run-command.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { shellWords } from '../support/shell-words.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { createSource } from './support/batch-source.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import './support/provided.ts';

/** The objects for each example, and the steps for an example that needs more. */
const PRECONDITIONS =
  'an example finds a CronJob nightly-backup with the label uses=database and one run that has succeeded, a failed run in its status, one of batch/v1, report, a folder manifests/ and a ' +
  'standard input with a CronJob, and every Job is run to its end; if yours needs more, add it in test/envtest/plugin-examples.test.ts';

const NAME = 'nightly-backup';
/** An older run, which some examples name. */
const OLDER_JOB = `${NAME}-1795432920`;
const FAILED_RUN = `2026-11-23T11:22:00Z Failed ${OLDER_JOB} Schedule took=1m0s`;
const MANIFEST = `apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: ${NAME}}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
`;
const folder = createTemporaryFolderForFile();
writeFileSync(join(folder, `${NAME}.yaml`), MANIFEST);

/** The words of an example, limited to the namespace of the scene: other tests have CronJobs in their namespaces. */
function parseWords({ name, flags }: Command, { args }: CommandExample, { namespace }: Scene): readonly string[] {
  // Does not open a browser.
  const words = shellWords(name === 'ui' ? `${args} --no-browser` : args)
    .filter((word) => word !== `-${ALL_NAMESPACES_FLAG.short}`)
    .map((word) => (word === 'manifests/' ? folder : word));
  if (!flags.includes(NAMESPACE_FLAG)) return words;
  return [...words, `--${NAMESPACE_FLAG.name}=${namespace}`, `--${KUBECONFIG_FLAG.name}=${inject('kubeconfig')}`];
}

/** Runs the example, and completes each Job meanwhile, as a node does. */
async function runExample(words: readonly string[], scene: Scene, kubelet: LogKubelet) {
  const terminal = new CapturedTerminal(MANIFEST);
  const ending = new AbortController();
  let code: number | undefined;
  const running = runCommand(words, {
    terminal,
    now: scene.clock.now(),
    clock: new SystemClock(),
    signal: ending.signal,
    connect: (options) => connect(options, 'test'),
    pageFiles: new Map(),
  }).then((exitCode) => {
    code = exitCode;
  });
  await scene.eventually(async () => {
    await runJobs(scene, kubelet);
    if (terminal.texts.out.includes('Ctrl-C')) ending.abort();
    if (code === undefined) throw new Error(`it goes on and on; ${PRECONDITIONS}`);
  });
  await running;
  return { code, ...terminal.texts };
}

async function runJobs(scene: Scene, kubelet: LogKubelet): Promise<void> {
  for (const job of await scene.jobs()) {
    if (job.status?.completionTime) continue;
    await kubelet.addPod(job.metadata.name, `${job.metadata.name}-pod`, { work: undefined });
    await scene.finish(job, 'Complete');
  }
}

const examples = COMMANDS.flatMap((command) =>
  command.examples.map((example) => ({ line: `${command.name}: ${example.args}`, command, example })),
);

test.concurrent.each(examples)('$line', async ({ command, example }) => {
  await using scene = await Scene.open();
  // An example starts the run of 1 October.
  const created = await scene.createCronJob({ schedule: '0 0 1 1,10 *', runOverrides: 'Args' }, NAME);
  await scene.patch({ metadata: { labels: { uses: 'database' } } }, NAME);
  const body = { status: { recentRuns: [FAILED_RUN] } };
  await scene.client.patch(cronJobs, created.metadata, { kind: 'merge', body }, { subresource: 'status' });
  await createSource(scene, { metadata: { name: 'report' } });
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ write }) => write('done\n'));
  await kubelet.addPod(OLDER_JOB, `${OLDER_JOB}-pod`, { work: undefined });
  await scene.startManager();
  await scene.waitUntilObserved(NAME);
  const first = ['run', NAME, '--wait', `--namespace=${scene.namespace}`, `--kubeconfig=${inject('kubeconfig')}`];
  expect(await runExample(first, scene, kubelet)).toMatchObject({ code: 0 });
  // Names of manual runs contain the second.
  await scene.clock.advance(1000);
  const { code, out, err } = await runExample(parseWords(command, example, scene), scene, kubelet);
  // The result that a command waits for is not an error, and neither is a difference.
  expect({ code, isError: err.includes('kubectl tcj') }, `${PRECONDITIONS}\n${err}`).toEqual({
    code: command.name === 'diff' ? 1 : 0,
    isError: false,
  });
  expect(out).not.toBe('');
});
