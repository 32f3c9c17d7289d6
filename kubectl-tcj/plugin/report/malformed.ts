/** What is said of a stored CronJob that does not fit its type. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { commandLine } from '../command-line.ts';
import type { Remedy } from './remedy.ts';

export function malformedSentence(oddities: readonly string[]): string {
  return `What is stored is malformed, and read without that: ${oddities.join('; ')}.`;
}

/** Empty where only the status is at fault: its manager writes it anew. */
export function malformedRemedy({ metadata }: CronJob, oddities: readonly string[]): Remedy {
  if (oddities.every((each) => each.startsWith('status'))) return {};
  const words = ['kubectl', 'edit', `${PLURAL}.${GROUP}`, metadata.name, '-n', metadata.namespace];
  return { change: 'correct it', command: { kind: 'Other', line: commandLine(words) } };
}
