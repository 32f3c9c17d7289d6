/** Formats the help of kubectl-tcj for a screen of 24 lines and 80 columns. */
import type { Command, CommandExample } from './command.ts';
import { wrapText } from './terminal/wrap-text.ts';

export const PROGRAM = 'kubectl tcj';
export const HELP_WIDTH = 80;

export function formatHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const formatLine = ({ name, description }: Command) =>
    wrapText(`  ${name.padEnd(width)}  ${getFirstSentence(description)}`, HELP_WIDTH, ' '.repeat(width + 4));
  return [
    'Inspect and manage CronJobs of the API group batch.tutorial.kubebuilder.io.',
    '',
    'Commands:',
    ...commands.map(formatLine),
    '',
    `Use "${PROGRAM} <command> --help" for more information about a command.`,
    `Use "${PROGRAM} --version" to print the version.`,
    '',
  ].join('\n');
}

export function getFirstSentence(description: string): string {
  return /^.*?\.(?= |$)/s.exec(description)?.[0] ?? description;
}

/** Formats the examples, exit codes and epilogue of a command. */
export function formatEpilogue({ examples, exitCodes = [], epilogue }: Command): string {
  const codes = exitCodes.map(([code, meaning]) => `${code} ${meaning}`).join('; ');
  return [
    'Examples:',
    // A single example has no comment, so that the help fits on a screen.
    ...examples.map((example) => `${examples.length > 1 ? `  # ${example.task}\n` : ''}  ${formatExample(example)}`),
    ...(codes === '' ? [] : ['', wrapText(`Exit codes: ${codes}.`, HELP_WIDTH)]),
    ...(epilogue === undefined ? [] : ['', wrapText(epilogue, HELP_WIDTH)]),
  ].join('\n');
}

export function formatExample({ pipedFrom = '', args }: CommandExample): string {
  return `${pipedFrom}${PROGRAM} ${args}`;
}
