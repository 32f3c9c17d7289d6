/** What `kubectl tcj --help` and the help of each command say. */
import type { Command, Example } from './command.ts';

export const PROGRAM = 'kubectl tcj';

export function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Asks and steers CronJobs of the group batch.tutorial.kubebuilder.io.',
    '',
    'Commands:',
    ...commands.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
    '',
    'Examples:',
    ...commands.flatMap(({ examples }) => examples.slice(0, 1).map(exampleLine)),
    '',
    `"${PROGRAM} <command> --help" tells more of each.`,
    '',
  ].join('\n');
}

/** Below the flags in the help of a command. */
export function epilogueOf({ examples, exitCodes = [], epilogue }: Command): string {
  return [
    'Examples:',
    ...examples.map(exampleLine),
    ...(exitCodes.length === 0
      ? []
      : ['', `Exit codes: ${exitCodes.map(([code, means]) => `${code} ${means}`).join('; ')}.`]),
    ...(epilogue === undefined ? [] : ['', epilogue]),
  ].join('\n');
}

function exampleLine({ wish, line }: Example): string {
  return `  # ${wish}\n  ${PROGRAM} ${line}`;
}
