import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { commandLine } from '../command-line.ts';

/** What to do about what is wrong. */
export interface Remedy {
  /** In words; absent where the command says it all. */
  readonly change?: string;
  /** With which it is done, or looked into. */
  readonly command?: RemedyCommand;
}

interface RemedyCommand {
  /** Of those that whoever shows the answer may do itself. */
  readonly kind: 'Resume' | 'Logs' | 'Other';
  /** To be copied. */
  readonly line: string;
}

/** In words and with its command; `undefined` where there is none. */
export function remedyText({ change, command }: Remedy): string | undefined {
  const parts = [change, command?.line].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** How a user asks for more, as a command line. */
export function commandFor(
  command: string,
  { metadata }: Pick<CronJob, 'metadata'>,
  ...flags: readonly string[]
): string {
  return commandLine(['kubectl', 'tcj', command, metadata.name, '-n', metadata.namespace, ...flags]);
}

/** A change with a command of kubectl. */
export function withKubectl(change: string, ...words: readonly string[]): Remedy {
  return { change, command: { kind: 'Other', line: commandLine(['kubectl', ...words]) } };
}

/** A name and the namespace of an object. */
export interface Named {
  readonly name: string;
  readonly namespace: string;
}

export function describing(change: string, kind: 'pod' | 'job', { name, namespace }: Named): Remedy {
  return withKubectl(change, 'describe', kind, name, '-n', namespace);
}
