/** One Pod of the manager, whose container is a process of this machine: the bundle, as the image would start it. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import { finalStage } from '../../../hack/image/dockerfile.ts';
import { ManagedProcess } from '../../cluster/managed-process.ts';
import type { Reaper } from '../../cluster/reaper.ts';
import { type Manifest, PROJECT } from '../../support/manifests.ts';
import { portsOf, processArguments } from './manager-arguments.ts';
import type { ContainerReport, ContainerState } from './pod-status.ts';

const BUNDLE = join(PROJECT, 'dist/manager.mjs');
const HOST_NAME = join(import.meta.dirname, 'pod-host-name.ts');
/** Much more often than a kubelet, which saves the tests seconds. */
const PROBE_INTERVAL_MS = 200;
const PROBE_TIMEOUT_MS = 1_000;
/** As a kubelet counts when the Pod does not say. */
const PROBE_FAILURES = 3;
/** A kubelet starts a container that ended again at once, and then after ever longer waits. */
const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
/** Between two tries to start the container at all. */
const RETRY_MS = 1_000;
/** Of the log of a process that ended, so much is told. */
const SHOWN_CHARACTERS = 2_000;

export interface ManagerPodOptions {
  readonly pod: Manifest;
  /** Resolves to the path of a kubeconfig with a token of the Pod's ServiceAccount. */
  readonly kubeconfig: () => Promise<string>;
  /** Names of images that can be had. They all are the bundle. */
  readonly images: readonly string[];
  /** For logs. */
  readonly folder: string;
  readonly reaper: Reaper;
}

export class ManagerPod {
  readonly pod: Manifest;
  readonly #options: ManagerPodOptions;
  readonly #stopping = new AbortController();
  readonly #life: Promise<void>;
  #process: ManagedProcess | undefined;
  #ports: ReadonlyMap<number, number> = new Map();
  #report: ContainerReport = {
    state: { waiting: { reason: 'ContainerCreating' } },
    lastState: {},
    restartCount: 0,
    isReady: false,
    since: now(),
  };

  /** Starts the container. */
  constructor(options: ManagerPodOptions) {
    this.pod = options.pod;
    this.#options = options;
    this.#life = this.#live(this.#stopping.signal);
  }

  get report(): ContainerReport {
    return this.#report;
  }

  /** Our port for a number or a name of one of the container; `undefined` when there is no such port. */
  portFor(target: number | string): number | undefined {
    const declared: readonly Manifest['spec'][] = this.#container.ports ?? [];
    const number = typeof target === 'number' ? target : declared.find(({ name }) => name === target)?.containerPort;
    return this.#ports.get(number);
  }

  /** Ends the process without a word; the container starts again. */
  async crash(): Promise<void> {
    if (this.#process === undefined) throw new Error(`${this.pod.metadata.name} runs nothing`);
    await this.#process.kill();
  }

  /** Ends the container for good. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#update({ isReady: false });
    await this.#process?.stop(graceMs);
    await this.#life;
  }

  get #container(): Manifest['spec'] {
    return this.pod['spec'].containers[0];
  }

  async #live(signal: AbortSignal): Promise<void> {
    for (let restarts = 0; !signal.aborted; ) {
      const process = await this.#start(signal);
      if (process === undefined) {
        await pause(RETRY_MS, signal);
        continue;
      }
      const lastState = await this.#watch(process, signal);
      const state = { waiting: { reason: 'CrashLoopBackOff' } };
      this.#update({ state, lastState, isReady: false });
      await pause(restarts === 0 ? 0 : Math.min(FIRST_BACK_OFF_MS * 2 ** (restarts - 1), LONGEST_BACK_OFF_MS), signal);
      restarts++;
      this.#update({ restartCount: restarts });
    }
  }

  /** `undefined` when it cannot be started now; the report says why. */
  async #start(signal: AbortSignal): Promise<ManagedProcess | undefined> {
    const { pod, images, reaper } = this.#options;
    const { args = [], image } = this.#container;
    const { name, namespace = '' } = pod.metadata;
    if (!images.includes(image)) {
      this.#wait('ErrImagePull', `there is no image ${image}`);
      return undefined;
    }
    try {
      const numbers = [...new Set(portsOf(args))];
      const ours = await Promise.all(numbers.map(() => freePort())); // at once: one after the other may be the same
      const ports = new Map(numbers.map((number, index) => [number, ours[index] ?? 0]));
      const own = processArguments(args, { namespace, ports, kubeconfig: await this.#options.kubeconfig() });
      if (signal.aborted) return undefined;
      this.#ports = ports;
      this.#process = new ManagedProcess({
        name,
        command: process.execPath,
        args: [`--import=${HOST_NAME}`, BUNDLE, ...own],
        env: { ...imageEnvironment(), HOSTNAME: name },
        logFile: this.#logFile,
        reaper,
      });
      this.#update({ state: { running: { startedAt: now() } } });
      return this.#process;
    } catch (error) {
      this.#wait('CreateContainerError', String(error));
      return undefined;
    }
  }

  /** Probes until the process ends; resolves to how it did. */
  async #watch(child: ManagedProcess, signal: AbortSignal): Promise<ContainerState> {
    const startedAt = now();
    const ended = new AbortController();
    const exited = child.exited.then((how) => {
      ended.abort();
      return how;
    });
    const probing = this.#probe(AbortSignal.any([ended.signal, signal]));
    const how = await exited;
    await probing;
    const log = await readFile(this.#logFile, 'utf8').catch(() => '');
    const exitCode = Number(/^exit code (\d+)$/.exec(how)?.[1] ?? 137);
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    return {
      terminated: {
        exitCode,
        reason,
        startedAt,
        finishedAt: now(),
        message: `${how}\n${log.slice(-SHOWN_CHARACTERS)}`,
      },
    };
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const { path, port } = this.#container.readinessProbe.httpGet;
    const url = `http://127.0.0.1:${this.portFor(port)}${path}`;
    let failures = 0;
    while (!signal.aborted) {
      const isOk = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]) })
        .then(({ ok }) => ok)
        .catch(() => false);
      if (signal.aborted) return;
      failures = isOk ? 0 : failures + 1;
      if (isOk) this.#update({ isReady: true });
      else if (failures >= PROBE_FAILURES) this.#update({ isReady: false });
      await pause(PROBE_INTERVAL_MS, signal);
    }
  }

  get #logFile(): string {
    return join(this.#options.folder, `${this.pod.metadata.name}.log`);
  }

  #wait(reason: string, message: string): void {
    this.#update({ state: { waiting: { reason, message } } });
  }

  #update(change: Partial<Omit<ContainerReport, 'since'>>): void {
    const next = { ...this.#report, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#report)) return;
    this.#report = { ...next, since: next.isReady === this.#report.isReady ? this.#report.since : now() };
  }
}

function imageEnvironment(): Readonly<Record<string, string>> {
  const { config } = finalStage(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'));
  return Object.fromEntries(config.Env.map((variable) => variable.split(/=(.*)/s, 2)));
}

/** Ends earlier when `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+/, ''); // metav1.Time has whole seconds
}
