/** The CronJobs that a command changes: one by its name, or many by their labels. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { CommandError, FAILED_EXIT_CODE, type Invocation, type Terminal, UsageError } from './command.ts';
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
  if (found.length > 0) return found;
  throw new CommandError(
    showsAllNamespaces(given)
      ? 'no CronJob has these labels'
      : `no CronJob in the namespace ${session.namespace} has these labels; -A looks in all of them`,
  );
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
  /** It stays as it was, against what was asked for. Default false. */
  readonly isRefused?: boolean | undefined;
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
  const spoken = speaking(terminal, format);
  const mark = given.has(DRY_RUN.name) ? ' (server dry run)' : '';
  const changed: CronJob[] = [];
  for (const target of targets) changed.push(...(await changeOne(target, spoken, mark, change)));
  const [only] = changed;
  if (argument === '') terminal.out(changedObjects(changed, format));
  else if (only !== undefined) terminal.out(changedObject(only, format));
  return changed.length === targets.length ? 0 : FAILED_EXIT_CODE;
}

/** @returns it as it is then; nothing when it is not as was asked for. */
async function changeOne(
  target: CronJob,
  { out, err }: Terminal,
  mark: string,
  change: (cronJob: CronJob) => Promise<Changed>,
): Promise<readonly CronJob[]> {
  try {
    const { said, cronJob, isRefused = false } = await change(target);
    const say = isRefused ? err : out;
    say(`${nameOf(target)} ${said}${mark}\n`);
    return isRefused ? [] : [cronJob];
  } catch (error) {
    const message = messageOf(error);
    if (message === undefined) throw error;
    err(`${nameOf(target)}: ${message}\n`);
    return [];
  }
}
