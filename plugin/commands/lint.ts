import { USAGE_EXIT_CODE } from 'controller-runtime';
import { type Command, FAILED_EXIT_CODE, type Flag, type Invocation } from '../command.ts';
import { asJson, asText, summaryOf } from '../lint/findings.ts';
import { inputsOf, type Unreadable } from '../lint/inputs.ts';
import { lintText } from '../lint/lint-text.ts';
import type { LintResult } from '../lint/problem.ts';
import { outputFormatOf } from '../output.ts';

const FORMATS = ['json'] as const;
const OUTPUT: Flag = {
  name: 'output',
  short: 'o',
  value: 'format',
  description: 'json for programs. Default a line for each problem.',
  default: '',
  values: FORMATS,
};
const STRICT: Flag = { name: 'strict', description: 'Warnings fail too.', default: '' };
const QUIET: Flag = { name: 'quiet', short: 'q', description: 'Only errors and warnings, no summary.', default: '' };

export const lintCommand: Command = {
  name: 'lint',
  description: 'Checks CronJobs in files: what would be refused, or warned of.',
  argument: {
    name: 'file',
    description: 'YAML or JSON, a folder, or - for the standard input.',
    isRepeated: true,
    values: 'files',
  },
  flags: [OUTPUT, STRICT, QUIET],
  examples: [
    { wish: 'before a commit', line: 'lint manifests/' },
    { wish: 'what a chart renders, with warnings as errors', before: 'helm template . | ', line: 'lint --strict -' },
  ],
  exitCodes: [
    [0, 'no errors'],
    [1, 'errors, or with --strict warnings'],
    [2, 'wrong usage, or a file that cannot be read'],
  ],
  epilogue:
    'Needs no cluster. Only a dry run (kubectl apply --dry-run=server) tells what policies say, and what else Kubernetes checks of Jobs.',
  run: async (invocation) => {
    const { given, terminal } = invocation;
    const format = outputFormatOf(given, FORMATS);
    const { unreadable, ...result } = await lintAll(invocation);
    const isQuiet = given.has(QUIET.name);
    const problems = result.problems.filter(({ level }) => !isQuiet || level !== 'note');
    terminal.out(format === 'json' ? asJson({ ...result, problems }, unreadable) : asText(problems, terminal));
    for (const { name, why } of unreadable) terminal.err(`${name}: ${why}\n`);
    if (format === 'text' && !isQuiet && result.files > 0) terminal.out(`${summaryOf(result)}\n`);
    if (unreadable.length > 0) return USAGE_EXIT_CODE;
    const failing = given.has(STRICT.name) ? ['error', 'warning'] : ['error'];
    return result.problems.some(({ level }) => failing.includes(level)) ? FAILED_EXIT_CODE : 0;
  },
};

interface LintedFiles extends LintResult {
  readonly files: number;
  readonly unreadable: readonly Unreadable[];
}

async function lintAll({ arguments: names, terminal, now }: Invocation): Promise<LintedFiles> {
  const results: LintResult[] = [];
  const unreadable: Unreadable[] = [];
  for await (const input of inputsOf(names, terminal.read)) {
    if (input.kind === 'unreadable') unreadable.push(input);
    else results.push(lintText(input, now));
  }
  return {
    problems: results.flatMap(({ problems }) => problems),
    cronJobs: results.flatMap(({ cronJobs }) => cronJobs),
    others: results.reduce((sum, { others }) => sum + others, 0),
    files: results.length,
    unreadable,
  };
}
