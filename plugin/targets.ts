/** The CronJobs that a command changes: one by its name, or many by their labels. */
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { type Invocation, UsageError } from './command.ts';
import { CommandError, manyCronJobs, oneCronJob } from './cron-jobs.ts';
import type { Session } from './session.ts';

/** Throws a UsageError for both or neither, and a CommandError when nothing fits. */
export async function targetsOf(invocation: Invocation, session: Session): Promise<readonly CronJob[]> {
  const { argument, given } = invocation;
  const hasSelector = given.has(SELECTOR.name);
  if ((argument === '') === !hasSelector) throw new UsageError('give the name of a CronJob, or -l with labels');
  if (argument !== '' && showsAllNamespaces(given)) {
    throw new UsageError(`--${ALL_NAMESPACES.name} is for -l: a name is in one namespace`);
  }
  if (argument !== '') return [await oneCronJob(invocation, session)];
  const found = await manyCronJobs(invocation, session);
  if (found.length === 0) throw new CommandError('no CronJob has these labels');
  return found;
}

export function nameOf({ metadata }: CronJob): string {
  return `${metadata.namespace}/${metadata.name}`;
}
