/** Generates a page of docs/kubectl-tcj/ for each command from the definition of the command and the texts in hack/docs/kubectl-tcj/. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, CommandFlag } from '../../kubectl-tcj/plugin/command.ts';
import { formatExample, PROGRAM } from '../../kubectl-tcj/plugin/help.ts';
import { escapeProse, formatCode, formatTable, wrapParagraph } from './markdown.ts';

export function getCommandPagePath({ name }: Command): string {
  return `docs/kubectl-tcj/${name}.md`;
}

export function renderCommandPage(command: Command): string {
  const { name, description, epilogue, exitCodes } = command;
  const parts = [
    `# ${PROGRAM} ${name}`,
    wrapParagraph(escapeProse(description)),
    renderCodeBlock(formatUsage(command)),
    ...renderFlags(command),
    ...(epilogue === undefined ? [] : [wrapParagraph(escapeProse(epilogue))]),
    '## Examples',
    renderCodeBlock(command.examples.map((example) => `# ${example.task}\n${formatExample(example)}`).join('\n\n')),
    ...readHandWrittenPart(name),
    ...(exitCodes === undefined
      ? []
      : [
          '## Exit codes',
          formatTable([['Code', 'Means'], ...exitCodes.map(([number, means]) => [formatCode(String(number)), means])]),
        ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Flags that are the same as in kubectl. docs/kubectl-tcj.md describes these flags and the default exit codes. */
const KUBECTL_FLAGS: readonly string[] = ['namespace', 'all-namespaces', 'selector', 'context', 'kubeconfig'];

function renderCodeBlock(text: string): string {
  return `\`\`\`sh\n${text}\n\`\`\``;
}

function formatUsage({ name, argument, flags }: Command): string {
  const argumentUsage = argument && `${argument.name}${argument.isRepeated ? '...' : ''}`;
  const placeholder = argument?.isOptional ? `[${argumentUsage}]` : `<${argumentUsage}>`;
  return [PROGRAM, name, ...(argument ? [placeholder] : []), ...(flags.length > 0 ? ['[options]'] : [])].join(' ');
}

function renderFlags({ argument, flags }: Command): readonly string[] {
  const shownFlags = flags.filter(({ isHidden }) => !isHidden);
  const ownFlags = shownFlags.filter(({ name }) => !KUBECTL_FLAGS.includes(name));
  const kubectlFlags = shownFlags.filter(({ name }) => KUBECTL_FLAGS.includes(name));
  const argumentRow = argument ? [[formatCode(argument.name), escapeProse(argument.description)]] : [];
  const flagRows = ownFlags.map(({ name, short, value, description, default: fallback = '' }) => {
    const long = `--${name}${value === undefined ? '' : ` <${value}>`}`;
    const flagDescription = fallback === '' ? description : `${description.replace(/\.$/, '')} (default: ${fallback}).`;
    return [formatCode(short === undefined ? long : `-${short}, ${long}`), escapeProse(flagDescription)];
  });
  const rows = [...argumentRow, ...flagRows];
  return [
    ...(rows.length === 0 ? [] : [formatTable([['Argument or flag', 'Meaning'], ...rows])]),
    ...(kubectlFlags.length === 0
      ? []
      : [wrapParagraph(`The flags ${formatFlagNames(kubectlFlags)} work [as in kubectl](../kubectl-tcj.md#flags).`)]),
  ];
}

function formatFlagNames(flags: readonly CommandFlag[]): string {
  return flags.map(({ name, short }) => formatCode(short === undefined ? `--${name}` : `-${short}`)).join(', ');
}

/** Returns an empty list if the command has no such file. */
function readHandWrittenPart(name: string): readonly string[] {
  const file = join(import.meta.dirname, 'kubectl-tcj', `${name}.md`);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}
