/** Lists names from the cluster and the kubeconfig to complete a command line. */
import { batch, core } from 'controller-runtime';
import { listKubeConfigContexts } from 'controller-runtime/internal';
import { KUBECONFIG_FLAG } from '../cluster-flags.ts';
import type { CompletionValues, Invocation } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';

import { formatLocalTime } from '../report/sentences.ts';
import { getRunTime, listRuns } from '../report/timeline.ts';
import type { Candidate } from './cursor-position.ts';

/** The maximum number of names to complete. A longer list would be slow and unreadable. */
const MAX_NAMES = 1000;

type NameQuery = Pick<Invocation, 'flagValues' | 'connect' | 'signal'> & {
  readonly previousArguments: readonly string[];
};

export type NameKind = Exclude<CompletionValues, readonly string[] | 'files' | 'anything'>;

/** Returns sorted names. Rejects if the cluster does not respond. */
export async function listNames(kind: NameKind, query: NameQuery): Promise<readonly Candidate[]> {
  if (kind === 'runs') return await listRunNames(query);
  const names =
    kind === 'contexts'
      ? listKubeConfigContexts(query.flagValues.get(KUBECONFIG_FLAG.name))
      : await listClusterNames(kind, query);
  return names.toSorted().map((name) => [name]);
}

/** Lists the runs of the CronJob in the first argument, with their results. */
async function listRunNames({ previousArguments: [name], ...query }: NameQuery): Promise<readonly Candidate[]> {
  if (name === undefined) return [];
  return await withSession(query, async ({ client, namespace }) => {
    const cronJob = await client.get(cronJobs, { namespace, name }, { signal: query.signal });
    if (cronJob === undefined) return [];
    return listRuns(cronJob)
      .map((run): Candidate => [run.jobName, `${run.result}, ${formatLocalTime(cronJob, getRunTime(run))}`])
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
  });
}

async function listClusterNames(
  kind: 'cronJobs' | 'sources' | 'namespaces',
  query: NameQuery,
): Promise<readonly string[]> {
  return await withSession(query, async ({ client, namespace }) => {
    const options = { limit: MAX_NAMES, signal: query.signal };
    const objects = await {
      namespaces: () => client.list(core.v1.namespaces, options),
      cronJobs: () => client.list(cronJobs, { ...options, namespace }),
      sources: () => client.list(batch.v1.cronJobs, { ...options, namespace }),
    }[kind]();
    return objects.map(({ metadata }) => metadata.name);
  });
}
