/** Generates a page of docs/kubectl-tcj/ for each command: from the table of commands, and from the hand-written parts in kubectl-tcj/. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USAGE_EXIT_CODE } from 'controller-runtime';
import { type Command, type ExitCode, FAILED_EXIT_CODE } from '../../kubectl-tcj/plugin/command.ts';
import { commandLineOf, PROGRAM } from '../../kubectl-tcj/plugin/help.ts';
import { code, paragraph, prose, table } from './markdown.ts';

/** Path of the page, relative to the project. */
export function commandPagePath({ name }: Command): string {
  return `docs/kubectl-tcj/${name}.md`;
}

/** The page as Markdown. */
export function commandPage(command: Command): string {
  const { name, description, epilogue, exitCodes = EXIT_CODES } = command;
  const parts = [
    `# ${PROGRAM} ${name}`,
    paragraph(prose(description)),
    block(usageOf(command)),
    ...flagsOf(command),
    ...(epilogue === undefined ? [] : [paragraph(prose(epilogue))]),
    '## Examples',
    block(command.examples.map((example) => `# ${example.wish}\n${commandLineOf(example)}`).join('\n\n')),
    ...handWritten(name),
    '## Exit codes',
    table([['Code', 'Means'], ...exitCodes.map(([number, means]) => [code(String(number)), means])]),
    '[All commands](../kubectl-tcj.md)',
  ];
  return `${parts.join('\n\n')}\n`;
}

const EXIT_CODES: readonly ExitCode[] = [
  [0, 'done'],
  [FAILED_EXIT_CODE, 'the command failed'],
  [USAGE_EXIT_CODE, 'the command line is invalid'],
];

function block(text: string): string {
  return `\`\`\`sh\n${text}\n\`\`\``;
}

function usageOf({ name, argument, flags }: Command): string {
  const words = argument && `${argument.name}${argument.isRepeated ? '...' : ''}`;
  const placed = argument?.isOptional ? `[${words}]` : `<${words}>`;
  return [PROGRAM, name, ...(argument ? [placed] : []), ...(flags.length > 0 ? ['[options]'] : [])].join(' ');
}

function flagsOf({ argument, flags }: Command): readonly string[] {
  const ofArgument = argument ? [[code(argument.name), prose(argument.description)]] : [];
  const ofFlags = flags.map(({ name, short, value, description, default: fallback = '' }) => {
    const long = `--${name}${value === undefined ? '' : ` <${value}>`}`;
    const words = fallback === '' ? description : `${description} Default ${fallback}.`;
    return [code(short === undefined ? long : `-${short}, ${long}`), prose(words)];
  });
  const rows = [...ofArgument, ...ofFlags];
  return rows.length === 0 ? [] : [table([['Argument or flag', 'Meaning'], ...rows])];
}

/** Empty for a command that the table describes completely. */
function handWritten(name: string): readonly string[] {
  const file = join(import.meta.dirname, 'kubectl-tcj', `${name}.md`);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}
