import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { formatCommandLine } from '../command-line.ts';

/** The action that fixes a problem. */
export interface Remedy {
  /** In words; absent when the command is enough. */
  readonly change?: string;
  /** The command that fixes or examines the problem. */
  readonly command?: RemedyCommand;
}

interface RemedyCommand {
  /** Commands that the user interface can run itself, and other commands. */
  readonly kind: 'Resume' | 'Logs' | 'Other';
  /** The command line to copy. */
  readonly line: string;
}

/** The remedy in words and with its command; `undefined` when it is empty. */
export function formatRemedy({ change, command }: Remedy): string | undefined {
  const parts = [change, command?.line].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** The command line with which a user gets more information. */
export function formatTcjCommand(
  command: string,
  { metadata }: Pick<CronJob, 'metadata'>,
  ...flags: readonly string[]
): string {
  return formatCommandLine(['kubectl', 'tcj', command, metadata.name, '-n', metadata.namespace, ...flags]);
}

/** A remedy with a kubectl command. */
export function createKubectlRemedy(change: string, ...words: readonly string[]): Remedy {
  return { change, command: { kind: 'Other', line: formatCommandLine(['kubectl', ...words]) } };
}

/** Name and namespace of an object. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace: string;
}

export function createDescribeRemedy(change: string, kind: 'pod' | 'job', { name, namespace }: ObjectRef): Remedy {
  return createKubectlRemedy(change, 'describe', kind, name, '-n', namespace);
}
