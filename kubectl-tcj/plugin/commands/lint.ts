import { USAGE_EXIT_CODE } from 'controller-runtime';
import { type Command, FAILED_EXIT_CODE } from '../command.ts';
import { asJson, asText, skippedLine, summaryOf } from '../lint/findings.ts';
import { lintFiles } from '../lint/lint-files.ts';
import { outputFlag, outputFormat } from '../output.ts';

const FORMATS = ['json'] as const;
const OUTPUT = outputFlag(FORMATS, 'json for programs. Default a line for each problem.');
const STRICT = { name: 'strict', description: 'Warnings fail too.' };
const QUIET = { name: 'quiet', short: 'q', description: 'Only errors and warnings, no summary.' };

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
    { wish: 'all CronJobs of a repository', line: 'lint .' },
    { wish: 'what a chart renders, with warnings as errors', before: 'helm template . | ', line: 'lint --strict -' },
  ],
  exitCodes: [
    [0, 'no errors'],
    [1, 'errors, or with --strict warnings'],
    [2, 'wrong usage, or a file that cannot be read'],
  ],
  endsAtOnce: true,
  epilogue:
    'Needs no cluster. Only a dry run (kubectl apply --dry-run=server) tells what policies say, and what else Kubernetes checks of Jobs.',
  run: async ({ arguments: names, given, terminal, now }) => {
    const format = outputFormat(given, FORMATS);
    const linted = await lintFiles(names, { readStdin: terminal.read, now });
    const { unreadable, skipped } = linted;
    const isQuiet = given.has(QUIET.name);
    const problems = linted.problems.filter(({ level }) => !isQuiet || level !== 'note');
    terminal.out(format === 'json' ? asJson({ ...linted, problems }) : asText(problems, terminal));
    for (const { name, why } of unreadable) terminal.err(`${name}: ${why}\n`);
    if (format === 'text' && !isQuiet) {
      if (linted.files > 0 || skipped.length > 0) terminal.out(`${summaryOf(linted)}\n`);
      if (skipped.length > 0) terminal.out(`${skippedLine(skipped)}\n`);
    }
    if (unreadable.length > 0) return USAGE_EXIT_CODE;
    const failing = given.has(STRICT.name) ? ['error', 'warning'] : ['error'];
    return linted.problems.some(({ level }) => failing.includes(level)) ? FAILED_EXIT_CODE : 0;
  },
};
