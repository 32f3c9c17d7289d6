import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { formatCommandLine } from '../command-line.ts';

/** The action that fixes a problem. */
export interface Remedy {
  /** The advice in words, if the command needs an explanation. */
  readonly change?: string;
  /** The command that fixes or examines the problem. */
  readonly command?: RemedyCommand;
}

interface RemedyCommand {
  /** The web page replaces `Resume` and `Logs` commands with a button or a link. */
  readonly kind: 'Resume' | 'Logs' | 'Other';
  readonly commandLine: string;
}

/** Returns the action and the command as one text, or `undefined` for an empty remedy. */
export function formatRemedy({ change, command }: Remedy): string | undefined {
  const texts = [change, command?.commandLine].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join(': ');
}

/** Returns a command line of the plugin, such as `kubectl tcj logs a -n team`. */
export function formatTcjCommand(
  command: string,
  { metadata }: Pick<CronJob, 'metadata'>,
  ...flags: readonly string[]
): string {
  return formatCommandLine(['kubectl', 'tcj', command, metadata.name, '-n', metadata.namespace, ...flags]);
}

export function createKubectlRemedy(advice: string, ...args: readonly string[]): Remedy {
  return { change: advice, command: { kind: 'Other', commandLine: formatCommandLine(['kubectl', ...args]) } };
}

export interface ObjectRef {
  readonly name: string;
  readonly namespace: string;
}

export function createDescribeRemedy(advice: string, kind: 'pod' | 'job', { name, namespace }: ObjectRef): Remedy {
  return createKubectlRemedy(advice, 'describe', kind, name, '-n', namespace);
}
