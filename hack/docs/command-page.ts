/** Generates a page of docs/kubectl-tcj/ for each command: from the table of commands, and from the hand-written parts in kubectl-tcj/. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Flag } from '../../kubectl-tcj/plugin/command.ts';
import { commandLineOf, PROGRAM } from '../../kubectl-tcj/plugin/help.ts';
import { code, paragraph, prose, table } from './markdown.ts';

/** Path of the page, relative to the project. */
export function commandPagePath({ name }: Command): string {
  return `docs/kubectl-tcj/${name}.md`;
}

/** The page as Markdown. */
export function commandPage(command: Command): string {
  const { name, description, epilogue, exitCodes } = command;
  const parts = [
    `# ${PROGRAM} ${name}`,
    paragraph(prose(description)),
    block(usageOf(command)),
    ...flagsOf(command),
    ...(epilogue === undefined ? [] : [paragraph(prose(epilogue))]),
    '## Examples',
    block(command.examples.map((example) => `# ${example.wish}\n${commandLineOf(example)}`).join('\n\n')),
    ...handWritten(name),
    ...(exitCodes === undefined
      ? []
      : [
          '## Exit codes',
          table([['Code', 'Means'], ...exitCodes.map(([number, means]) => [code(String(number)), means])]),
        ]),
    '[All commands](../kubectl-tcj.md)',
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Flags that kubectl has too: docs/kubectl-tcj.md describes them, and the exit codes of a command without its own. */
const KUBECTL_FLAGS: readonly string[] = ['namespace', 'all-namespaces', 'selector', 'context', 'kubeconfig'];

function block(text: string): string {
  return `\`\`\`sh\n${text}\n\`\`\``;
}

function usageOf({ name, argument, flags }: Command): string {
  const words = argument && `${argument.name}${argument.isRepeated ? '...' : ''}`;
  const placed = argument?.isOptional ? `[${words}]` : `<${words}>`;
  return [PROGRAM, name, ...(argument ? [placed] : []), ...(flags.length > 0 ? ['[options]'] : [])].join(' ');
}

function flagsOf({ argument, flags }: Command): readonly string[] {
  const own = flags.filter(({ name }) => !KUBECTL_FLAGS.includes(name));
  const fromKubectl = flags.filter(({ name }) => KUBECTL_FLAGS.includes(name));
  const argumentRow = argument ? [[code(argument.name), prose(argument.description)]] : [];
  const flagRows = own.map(({ name, short, value, description, default: fallback = '' }) => {
    const long = `--${name}${value === undefined ? '' : ` <${value}>`}`;
    const words = fallback === '' ? description : `${description} Default ${fallback}.`;
    return [code(short === undefined ? long : `-${short}, ${long}`), prose(words)];
  });
  const rows = [...argumentRow, ...flagRows];
  return [
    ...(rows.length === 0 ? [] : [table([['Argument or flag', 'Meaning'], ...rows])]),
    ...(fromKubectl.length === 0
      ? []
      : [paragraph(`Flags [as in kubectl](../kubectl-tcj.md#flags): ${listed(fromKubectl)}.`)]),
  ];
}

function listed(flags: readonly Flag[]): string {
  return flags.map(({ name, short }) => code(short === undefined ? `--${name}` : `-${short}`)).join(', ');
}

/** Empty for a command that the table describes completely. */
function handWritten(name: string): readonly string[] {
  const file = join(import.meta.dirname, 'kubectl-tcj', `${name}.md`);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}
