/** What `kubectl tcj --help` and the help of each command say. A screen of 24 lines and 80 columns has room for it. */
import type { Command, Example } from './command.ts';
import { wrapped } from './terminal/texts.ts';

export const PROGRAM = 'kubectl tcj';
/** In columns. */
export const HELP_WIDTH = 80;

export function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lineOf = ({ name, description }: Command) =>
    wrapped(`  ${name.padEnd(width)}  ${firstSentenceOf(description)}`, HELP_WIDTH, ' '.repeat(width + 4));
  return [
    'Answers questions about CronJobs of batch.tutorial.kubebuilder.io.',
    '',
    'Commands:',
    ...commands.map(lineOf),
    '',
    `"${PROGRAM} <command> --help" tells more of each, with examples.`,
    `"${PROGRAM} --version" says which version this is.`,
    '',
  ].join('\n');
}

/** What the list of commands says of one. */
export function firstSentenceOf(description: string): string {
  return /^.*?\.(?= |$)/s.exec(description)?.[0] ?? description;
}

/** Below the flags in the help of a command. */
export function epilogueOf({ examples, exitCodes = [], epilogue }: Command): string {
  const codes = exitCodes.map(([code, means]) => `${code} ${means}`).join('; ');
  return [
    'Examples:',
    ...examples.map((example) => `  # ${example.wish}\n  ${commandLineOf(example)}`),
    ...(codes === '' ? [] : ['', wrapped(`Exit codes: ${codes}.`, HELP_WIDTH)]),
    ...(epilogue === undefined ? [] : ['', wrapped(epilogue, HELP_WIDTH)]),
  ].join('\n');
}

/** As it is typed. */
export function commandLineOf({ before = '', line }: Example): string {
  return `${before}${PROGRAM} ${line}`;
}
