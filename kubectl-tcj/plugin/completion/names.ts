/** Names in the cluster and in the kubeconfig that complete a command line. */
import { batch, core, listKubeConfigContexts } from 'controller-runtime';
import { KUBECONFIG } from '../cluster-flags.ts';
import type { Invocation, Values } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';

import { timeOf } from '../report/sentences.ts';
import { runsOf, timeOfRun } from '../report/timeline.ts';
import type { Candidate } from './place.ts';

/** Users do not read more names, and more names take time. */
const MAX_NAMES = 1000;

type Asking = Pick<Invocation, 'given' | 'connect' | 'signal'> & {
  /** Arguments before the completed word. */
  readonly before: readonly string[];
};

/** Kinds of names to complete. */
export type NameKind = Exclude<Values, readonly string[] | 'files' | 'anything'>;

/** Sorted. Rejects when the cluster does not respond. */
export async function namesOf(kind: NameKind, asking: Asking): Promise<readonly Candidate[]> {
  if (kind === 'runs') return await runs(asking);
  const names =
    kind === 'contexts'
      ? listKubeConfigContexts(asking.given.get(KUBECONFIG.name))
      : await namesInCluster(kind, asking);
  return names.toSorted().map((name) => [name]);
}

/** The runs of the CronJob in an earlier argument, with their results. */
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
