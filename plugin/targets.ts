/** The CronJobs that a command changes: one by its name, or many by their labels. */
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { CommandError, FAILED_EXIT_CODE, type Invocation, UsageError } from './command.ts';
import { manyCronJobs, oneCronJob } from './cron-jobs.ts';
import { messageOf } from './message-of.ts';
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

function nameOf({ metadata }: CronJob): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/**
 * Changes each, and says of each what was done or why not: what is refused for one is no reason to leave the others.
 * @param change Returns what was done, such as `resumed`.
 * @returns the exit code.
 */
export async function changeEach(
  targets: readonly CronJob[],
  { terminal }: Pick<Invocation, 'terminal'>,
  change: (cronJob: CronJob) => Promise<string>,
): Promise<number> {
  let exitCode = 0;
  for (const cronJob of targets) {
    try {
      terminal.out(`${nameOf(cronJob)} ${await change(cronJob)}\n`);
    } catch (error) {
      const message = messageOf(error);
      if (message === undefined) throw error;
      terminal.err(`${nameOf(cronJob)}: ${message}\n`);
      exitCode = FAILED_EXIT_CODE;
    }
  }
  return exitCode;
}
