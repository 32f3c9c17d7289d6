/**
 * One Pod of the manager, whose container is a process of this machine: the bundle, with the command line of the image. A container that
 * ends starts again a second later, without a kubelet's back-off.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from 'controller-runtime/testing';
import { parseFinalStage } from '../../../hack/image/dockerfile.ts';
import { ManagedProcess } from '../../cluster/managed-process.ts';
import type { Reaper } from '../../cluster/reaper.ts';
import { type Manifest, PROJECT } from '../../support/manifests.ts';

const BUNDLE = join(PROJECT, 'dist/manager.mjs');
const HOST_NAME = join(import.meta.dirname, 'pod-host-name.ts');
/** Probe period, much shorter than a kubelet's, which saves the tests seconds. */
const PROBE_INTERVAL_MS = 200;
const PROBE_TIMEOUT_MS = 1_000;
/** A kubelet's default threshold. */
const PROBE_FAILURES = 3;
const RESTART_MS = 1_000;
/** Length of the end of the log in the status of an ended process. */
const LOG_TAIL_CHARACTERS = 2_000;

interface ManagerPodOptions {
  readonly pod: Manifest;
  /** Resolves to the path of a kubeconfig with a token of the Pod's ServiceAccount. */
  readonly kubeconfig: () => Promise<string>;
  /** Folder for logs. */
  readonly folder: string;
  readonly reaper: Reaper;
}

/** As in a Pod's status: either `waiting`, `running` or `terminated`. */
type ContainerState = Readonly<Record<string, Readonly<Record<string, string | number>>>>;

/** The container status in the status of the Pod. */
interface ManagerContainer {
  readonly state: ContainerState;
  /** The previous exit. */
  readonly lastState: ContainerState;
  readonly restartCount: number;
  readonly ready: boolean;
}

export class ManagerPod {
  readonly pod: Manifest;
  readonly #options: ManagerPodOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #process: ManagedProcess | undefined;
  /** A port of 127.0.0.1 for each container port: Pods have separate addresses, but processes share one. */
  #ports: ReadonlyMap<string | number, number> = new Map();
  #container: ManagerContainer = {
    state: { waiting: { reason: 'ContainerCreating' } },
    lastState: {},
    restartCount: 0,
    ready: false,
  };
  #readySince = now();

  /** Starts the container. */
  constructor(options: ManagerPodOptions) {
    this.pod = options.pod;
    this.#options = options;
    this.#running = this.#runUntilStopped(this.#stopping.signal);
  }

  get isReady(): boolean {
    return this.#container.ready;
  }

  /** The status, as a kubelet writes it. */
  get status(): object {
    const { metadata, spec } = this.pod;
    const [{ name, image }] = spec.containers;
    const hasStarted = !('waiting' in this.#container.state) || 'terminated' in this.#container.lastState;
    const condition = (type: string) => ({
      type,
      status: this.isReady ? 'True' : 'False',
      lastTransitionTime: this.#readySince,
    });
    return {
      phase: hasStarted ? 'Running' : 'Pending',
      startTime: metadata.creationTimestamp,
      podIP: '127.0.0.1',
      podIPs: [{ ip: '127.0.0.1' }],
      conditions: ['ContainersReady', 'Ready'].map(condition),
      containerStatuses: [
        { name, image, imageID: '', started: 'running' in this.#container.state, ...this.#container },
      ],
    };
  }

  /** Our port for the number or name of a container port; `undefined` when there is no such port. */
  portFor(target: number | string): number | undefined {
    return this.#ports.get(target);
  }

  /** Kills the process without notice; the container starts again. */
  async crash(): Promise<void> {
    await this.#process?.kill();
  }

  /** Ends the container permanently. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#update({ ready: false });
    await this.#process?.stop(graceMs);
    await this.#running;
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const lastState = await this.#run(signal);
      if (lastState) this.#update({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState, ready: false });
      await pause(RESTART_MS, signal);
      if (lastState) this.#update({ restartCount: this.#container.restartCount + 1 });
    }
  }

  /** Resolves when the process has ended, to its exit; `undefined` when the start fails. */
  async #run(signal: AbortSignal): Promise<ContainerState | undefined> {
    const { pod, folder, reaper } = this.#options;
    const { name, namespace } = pod.metadata;
    const { args, ports }: Manifest['spec'] = pod['spec'].containers[0];
    const logFile = join(folder, `${name}.log`);
    const startedAt = now();
    try {
      const flags = await this.#arguments(ports, namespace);
      if (signal.aborted) return undefined;
      this.#process = new ManagedProcess({
        name,
        command: process.execPath,
        args: [`--import=${HOST_NAME}`, BUNDLE, ...args, ...flags],
        env: { ...imageEnvironment(), HOSTNAME: name },
        logFile,
        reaper,
      });
    } catch (error) {
      this.#update({ state: { waiting: { reason: 'CreateContainerError', message: String(error) } } });
      return undefined;
    }
    this.#update({ state: { running: { startedAt } } });
    const ended = new AbortController();
    const probing = this.#probe(AbortSignal.any([ended.signal, signal]));
    const exitReason = await this.#process.exited;
    ended.abort();
    await probing;
    const message = `${exitReason}\n${(await readFile(logFile, 'utf8')).slice(-LOG_TAIL_CHARACTERS)}`;
    const exitCode = Number(/^exit code (\d+)$/.exec(exitReason)?.[1] ?? 137);
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    return { terminated: { exitCode, reason, startedAt, finishedAt: now(), message } };
  }

  /** More arguments, where the last value of a flag counts: for what a container finds in files, and where this machine has space. */
  async #arguments(declared: readonly Manifest['spec'][], namespace = ''): Promise<readonly string[]> {
    const freePorts = await Promise.all(declared.map(() => findFreePort())); // at the same time, because two consecutive calls may return the same port
    this.#ports = new Map(
      declared.flatMap(({ name, containerPort }, index) => [
        [name, freePorts[index] ?? 0],
        [containerPort, freePorts[index] ?? 0],
      ]),
    );
    return [
      `--kubeconfig=${await this.#options.kubeconfig()}`,
      `--webhook-namespace=${namespace}`,
      `--leader-election-namespace=${namespace}`,
      `--health-probe-bind-address=127.0.0.1:${this.portFor('health')}`,
      `--metrics-bind-address=127.0.0.1:${this.portFor('metrics')}`,
      `--webhook-port=${this.portFor('webhooks')}`,
    ];
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const { path, port } = this.pod['spec'].containers[0].readinessProbe.httpGet;
    const url = `http://127.0.0.1:${this.portFor(port)}${path}`;
    for (let failures = 0; !signal.aborted; await pause(PROBE_INTERVAL_MS, signal)) {
      const isOk = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]) })
        .then(({ ok }) => ok)
        .catch(() => false);
      failures = isOk ? 0 : failures + 1;
      if (!signal.aborted && (isOk || failures >= PROBE_FAILURES)) this.#update({ ready: isOk });
    }
  }

  #update(change: Partial<ManagerContainer>): void {
    if (change.ready !== undefined && change.ready !== this.isReady) this.#readySince = now();
    this.#container = { ...this.#container, ...change };
  }
}

function imageEnvironment(): Readonly<Record<string, string>> {
  const { config } = parseFinalStage(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'));
  return Object.fromEntries(config.Env.map((variable) => variable.split(/=(.*)/s, 2)));
}

/** Ends earlier when `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+/, ''); // metav1.Time has whole seconds
}
