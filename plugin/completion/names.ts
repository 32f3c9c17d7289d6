/** Names in the cluster, and in the kubeconfig, that may stand on a command line. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { batch, core } from 'controller-runtime';
import { parse } from 'yaml';
import { isRecord, valueAt } from '../../api/v1/raw-object.ts';
import { KUBECONFIG } from '../cluster-flags.ts';
import type { Invocation } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';
import { runsOf } from '../report/run-named.ts';
import { timeOf } from '../report/sentences.ts';
import { timeOfRun } from '../report/timeline.ts';

/** More names nobody reads, and they take their time. */
const MAX_NAMES = 1000;

type Asking = Pick<Invocation, 'given' | 'connect' | 'signal'> & {
  /** Arguments that stand before it. */
  readonly before: readonly string[];
};

export type Candidate = readonly [text: string, description?: string];

/** Sorted. Rejects when the cluster does not tell. */
export async function namesOf(
  kind: 'cronJobs' | 'sources' | 'runs' | 'namespaces' | 'contexts',
  asking: Asking,
): Promise<readonly Candidate[]> {
  if (kind === 'runs') return await runs(asking);
  const names = kind === 'contexts' ? await contexts(asking) : await namesInCluster(kind, asking);
  return names.toSorted().map((name) => [name]);
}

/** Of the CronJob that is named before; with their results. */
async function runs({ before: [name], ...asking }: Asking): Promise<readonly Candidate[]> {
  if (name === undefined) return [];
  return await withSession(asking, async ({ client, namespace }) => {
    const cronJob = await client.get(cronJobs, { namespace, name }, { signal: asking.signal });
    if (cronJob === undefined) return [];
    return runsOf(cronJob)
      .map((run): Candidate => [run.jobName, `${run.result}, ${timeOf(cronJob, timeOfRun(run))}`])
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
  });
}

async function namesInCluster(kind: 'cronJobs' | 'sources' | 'namespaces', asking: Asking): Promise<readonly string[]> {
  return await withSession(asking, async ({ client, namespace }) => {
    const options = { limit: MAX_NAMES, signal: asking.signal };
    const found = await {
      namespaces: () => client.list(core.v1.namespaces, options),
      cronJobs: () => client.list(cronJobs, { ...options, namespace }),
      sources: () => client.list(batch.v1.cronJobs, { ...options, namespace }),
    }[kind]();
    return found.map(({ metadata }) => metadata.name);
  });
}

/** Of the files that kubectl reads. */
async function contexts({ given }: Asking): Promise<readonly string[]> {
  const path = given.get(KUBECONFIG.name);
  const ofVariable = process.env['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
  const files = path !== undefined ? [path] : ofVariable.length > 0 ? ofVariable : [join(homedir(), '.kube', 'config')];
  const names = await Promise.all(files.map(contextsIn));
  return [...new Set(names.flat())];
}

async function contextsIn(file: string): Promise<readonly string[]> {
  const list = valueAt(parse(await readFile(file, 'utf8')), 'contexts');
  const names = Array.isArray(list) ? list.map((each) => (isRecord(each) ? each['name'] : undefined)) : [];
  return names.filter((name) => typeof name === 'string');
}
