import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { commandLine } from '../command-line.ts';

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
export function remedyText({ change, command }: Remedy): string | undefined {
  const parts = [change, command?.line].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** The command line with which a user gets more information. */
export function commandFor(
  command: string,
  { metadata }: Pick<CronJob, 'metadata'>,
  ...flags: readonly string[]
): string {
  return commandLine(['kubectl', 'tcj', command, metadata.name, '-n', metadata.namespace, ...flags]);
}

/** A remedy with a kubectl command. */
export function withKubectl(change: string, ...words: readonly string[]): Remedy {
  return { change, command: { kind: 'Other', line: commandLine(['kubectl', ...words]) } };
}

/** Name and namespace of an object. */
export interface Named {
  readonly name: string;
  readonly namespace: string;
}

export function describing(change: string, kind: 'pod' | 'job', { name, namespace }: Named): Remedy {
  return withKubectl(change, 'describe', kind, name, '-n', namespace);
}
