/** The CronJobs that a command changes: one by its name, or many by their labels. */
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { CommandError, FAILED_EXIT_CODE, type Invocation, UsageError } from './command.ts';
import { manyCronJobs, oneCronJob } from './cron-jobs.ts';
import { messageOf } from './message-of.ts';
import { changedFormat, changedObject, changedObjects, speaking } from './output.ts';
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

/** What became of one. */
export interface Changed {
  /** Such as `resumed`. */
  readonly said: string;
  /** As it is now. */
  readonly cronJob: CronJob;
}

/** Nothing is stored: the API server and its webhooks check the change. */
export const DRY_RUN = { name: 'dry-run', description: 'Changes nothing; shows what would be done.', default: '' };

/**
 * Changes each, and says of each what was done or why not: what is refused for one is no reason to leave the others. Prints them where a
 * format is given.
 * @returns the exit code.
 */
export async function changeEach(
  targets: readonly CronJob[],
  { argument, given, terminal }: Invocation,
  change: (cronJob: CronJob) => Promise<Changed>,
): Promise<number> {
  const format = changedFormat(given);
  const { out, err } = speaking(terminal, format);
  const mark = given.has(DRY_RUN.name) ? ' (server dry run)' : '';
  const changed: CronJob[] = [];
  for (const target of targets) {
    try {
      const { said, cronJob } = await change(target);
      out(`${nameOf(target)} ${said}${mark}\n`);
      changed.push(cronJob);
    } catch (error) {
      const message = messageOf(error);
      if (message === undefined) throw error;
      err(`${nameOf(target)}: ${message}\n`);
    }
  }
  const [only] = changed;
  if (argument === '') terminal.out(changedObjects(changed, format));
  else if (only !== undefined) terminal.out(changedObject(only, format));
  return changed.length === targets.length ? 0 : FAILED_EXIT_CODE;
}
