import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type KubernetesObject, SystemClock } from 'controller-runtime';
import { Cache, discardLogger } from 'controller-runtime/internal';
import { batch } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parseRecentSkip } from '../../../api/v1/recent-lines.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { connect } from '../../support/cluster-client.ts';
import { PROJECT } from '../../support/manifests.ts';
import { SHELL_IMAGE } from '../support/images.ts';
import { PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';

const COUNT = 50;
const LABELS = { moves: 'yes' };
const SELECTOR = 'moves=yes';
/** Long enough that the next minute comes while the sources are suspended. */
const LATE_IN_MINUTE_S = 50;
const SOURCE_RUNS = /^moves-\d+-(\d{8})$/;
const NAMES = Array.from({ length: COUNT }, (_, index) => `moves-${index}`);

/** CronJobs of batch/v1 that are due every minute, whose Jobs complete without a Pod. */
async function createSources(): Promise<void> {
  await using cluster = connect(inject('kubeconfig')); // kubectl has a limit of five requests per second
  const template = { restartPolicy: 'Never', containers: [{ name: 'work', image: SHELL_IMAGE }] };
  const create = (name: string) =>
    cluster.client.create(batch.v1.cronJobs, {
      metadata: { name, namespace: WORK_NAMESPACE, labels: LABELS },
      spec: {
        schedule: '* * * * *',
        successfulJobsHistoryLimit: 100,
        jobTemplate: {
          metadata: { labels: LABELS },
          spec: { completions: 0, parallelism: 0, template: { spec: template } },
        },
      },
    });
  await Promise.all(NAMES.map(create));
}

/** Names of all Jobs of these CronJobs, including deleted ones. Uses an informer, because a watch may end at any time. */
class JobNames implements AsyncDisposable {
  readonly #names = new Set<string>();
  readonly #cluster = connect(inject('kubeconfig'));
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor() {
    const { transport } = this.#cluster;
    const cache = new Cache({ transport, clock: new SystemClock(), log: discardLogger });
    const onAdd = ({ metadata }: KubernetesObject) => void this.#names.add(metadata.name);
    cache
      .informerFor(jobs, { metadataOnly: true, namespaces: [WORK_NAMESPACE], labelSelector: SELECTOR })
      .addEventHandler({ onAdd, onUpdate: () => {}, onDelete: () => {} });
    this.#ended = cache.start(this.#stop.signal);
  }

  /** Slot in minutes since 1970, from the names that both controllers give to Jobs. */
  listMinutes(name: string, from: 'batch/v1' | 'ours' | 'both' = 'both'): readonly number[] {
    const found = [...this.#names].flatMap((each) => {
      const text = each.startsWith(`${name}-`) ? each.slice(name.length + 1) : '';
      const isSource = SOURCE_RUNS.test(each);
      if (!/^\d+$/.test(text) || (from !== 'both' && isSource !== (from === 'batch/v1'))) return [];
      return [isSource ? Number(text) : Number(text) / 60];
    });
    return found.toSorted((left, right) => left - right);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#cluster[Symbol.asyncDispose]();
  }
}

/** Runs `kubectl tcj import`. @param diesAt Output after which the tool is killed. @returns its exit code. */
async function tcjImport(args: readonly string[], diesAt?: string): Promise<number | null> {
  const flags = ['-l', SELECTOR, '-n', WORK_NAMESPACE, `--kubeconfig=${inject('kubeconfig')}`];
  const child = spawn(process.execPath, [join(PROJECT, 'kubectl-tcj/plugin/main.ts'), 'import', ...args, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data;
      if (diesAt !== undefined && output.includes(diesAt)) child.kill('SIGKILL');
    });
  }
  const [code] = await once(child, 'close');
  if (diesAt === undefined && code !== 0) console.info(output);
  else expect(output).toContain(diesAt ?? '');
  return code;
}

/** Times that the CronJobs report as skipped, for example when the import took longer than a minute. */
async function listSkippedMinutes(name: string): Promise<readonly number[]> {
  await using cluster = connect(inject('kubeconfig'));
  const found = await cluster.client.get(cronJobs, { namespace: WORK_NAMESPACE, name });
  return (found?.status?.recentSkips ?? []).flatMap((line) => {
    const skip = parseRecentSkip(line);
    if (skip === undefined) return [];
    const [first, last] = [skip.firstTime.getTime() / 60_000, skip.lastTime.getTime() / 60_000];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** From the first call of the tool to the end of the last, in milliseconds since 1970. */
interface ImportPhase {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** This minute and the next one came while the tool worked: after a suspension, only the newest time is caught up. */
function isInPhase(minute: number, phases: readonly ImportPhase[]): boolean {
  return phases.some(({ fromMs, untilMs }) => fromMs <= minute * 60_000 && untilMs >= (minute + 1) * 60_000);
}

/** Faults, in minutes since 1970. */
interface ImportFaults {
  readonly name: string;
  /** Minutes between the first and the last without a Job and without an explanation. */
  readonly lost: readonly number[];
  /** Minutes with two Jobs. */
  readonly doubled: readonly number[];
}

/** Imports and moves back, with a tool that is killed twice each way. Begins before the operator exists. */
async function importAndRevert(operatorIsReady: Promise<void>): Promise<readonly ImportFaults[]> {
  await using names = new JobNames();
  await createSources();
  const waitForRuns = async (from: 'batch/v1' | 'ours', after: number) => {
    const newest = NAMES.map((name) => names.listMinutes(name, from).at(-1) ?? 0);
    expect(Math.min(...newest)).toBeGreaterThan(after);
  };
  const isLate = async () => expect(new Date().getSeconds()).toBeGreaterThanOrEqual(LATE_IN_MINUTE_S);
  await eventually(() => waitForRuns('batch/v1', 0), PATIENCE);
  await operatorIsReady;
  await eventually(isLate, PATIENCE);
  const importFromMs = Date.now();
  await tcjImport([], 'suspended in batch/v1');
  await tcjImport([], 'imported');
  expect(await tcjImport(['--keep-source'])).toBe(0);
  await eventually(() => waitForRuns('ours', 0), PATIENCE);
  const skipped = new Map(
    await Promise.all(NAMES.map(async (name) => [name, await listSkippedMinutes(name)] as const)),
  );

  const importUntilMs = Date.now();
  const imported = Math.floor(importUntilMs / 60_000);
  await eventually(isLate, PATIENCE);
  const revertFromMs = Date.now();
  await tcjImport(['--revert'], 'runs in batch/v1 again');
  await tcjImport(['--revert'], 'runs in batch/v1 again');
  expect(await tcjImport(['--revert'])).toBe(0);
  await eventually(() => waitForRuns('batch/v1', imported), PATIENCE);
  const phases = [
    { fromMs: importFromMs, untilMs: importUntilMs },
    { fromMs: revertFromMs, untilMs: Date.now() },
  ];

  return NAMES.map((name) => {
    const minutes = names.listMinutes(name);
    const [first = 0, last = 0] = [minutes[0], minutes.at(-1)];
    const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const isExplained = (minute: number) => skipped.get(name)?.includes(minute) || isInPhase(minute, phases);
    return {
      name,
      lost: all.filter((minute) => !minutes.includes(minute) && !isExplained(minute)),
      doubled: minutes.filter((minute, index) => minutes.indexOf(minute) !== index),
    };
  });
}

/** Both controllers run. The test mostly waits for the next minute, so other chapters run meanwhile. */
export class Imports {
  readonly #operatorIsReady = Promise.withResolvers<void>();
  #importing: Promise<readonly ImportFaults[]> | undefined;

  /** Does not need the operator. */
  readonly begin: Chapter = () => {
    test(`${COUNT} CronJobs of batch/v1 are created, which are due every minute`, () => {
      this.#importing = importAndRevert(this.#operatorIsReady.promise);
      this.#importing.catch(() => {}); // awaited at the end
    });
  };

  /** Must run before the chapters that do not disturb the manager. */
  readonly move: Chapter = () => {
    test(`the import of ${COUNT} CronJobs of batch/v1 begins`, () => this.#operatorIsReady.resolve());
  };

  /** Must run after these chapters. */
  readonly end: Chapter = (operator) => {
    test(`${COUNT} CronJobs of batch/v1 are imported and reverted by a plugin that is killed: no scheduled time is lost or doubled`, {
      timeout: 1_800_000,
    }, async () => {
      const faults = await this.#importing;
      expect(faults?.filter(({ lost, doubled }) => lost.length + doubled.length > 0)).toEqual([]);
      expect(await operator().get('tcj', `--namespace=${WORK_NAMESPACE}`, `--selector=${SELECTOR}`)).toEqual([]);
      await operator().kubectlInWork('delete', 'cronjobs.v1.batch', `--selector=${SELECTOR}`);
    });
  };
}
