import { USAGE_EXIT_CODE } from 'controller-runtime';
import { type Command, FAILED_EXIT_CODE } from '../command.ts';
import { formatFindings, formatFindingsAsJson, formatSkippedFiles, formatSummary } from '../lint/findings.ts';
import { lintFiles } from '../lint/lint-files.ts';
import { createOutputFlag, parseOutputFormat } from '../output.ts';

const FORMATS = ['json'] as const;
const OUTPUT = createOutputFlag(FORMATS);
const STRICT = { name: 'strict', description: 'Fail on warnings too.' };
const QUIET = { name: 'quiet', short: 'q', description: 'Print only errors and warnings, without a summary.' };

export const lintCommand: Command = {
  name: 'lint',
  description: 'Check CronJob manifests for errors and warnings.',
  argument: {
    name: 'file',
    description: 'YAML or JSON file, folder, or - for stdin.',
    isRepeated: true,
    values: 'files',
  },
  flags: [OUTPUT, STRICT, QUIET],
  examples: [
    { task: 'Check all CronJobs in a repository', args: 'lint .' },
    {
      task: 'Check the output of a chart, and fail on warnings',
      pipedFrom: 'helm template . | ',
      args: 'lint --strict -',
    },
  ],
  exitCodes: [
    [0, 'no errors'],
    [1, 'errors, or warnings with --strict'],
    [2, 'invalid command line, or a file that cannot be read'],
  ],
  shouldExitOnInterrupt: true,
  epilogue:
    'The command needs no cluster. To check admission policies and the rules of Kubernetes for Jobs too, use kubectl apply --dry-run=server.',
  run: async ({ arguments: names, flagValues, terminal, now }) => {
    const format = parseOutputFormat(flagValues, FORMATS);
    const lintResult = await lintFiles(names, { readStdin: terminal.readStdin, now });
    const { unreadable, skipped } = lintResult;
    const isQuiet = flagValues.has(QUIET.name);
    const problems = lintResult.problems.filter(({ level }) => !isQuiet || level !== 'note');
    terminal.out(
      format === 'json' ? formatFindingsAsJson({ ...lintResult, problems }) : formatFindings(problems, terminal),
    );
    for (const { name, reason } of unreadable) terminal.err(`${name}: ${reason}\n`);
    if (format === 'text' && !isQuiet) {
      if (lintResult.fileCount > 0 || skipped.length > 0) terminal.out(`${formatSummary(lintResult)}\n`);
      if (skipped.length > 0) terminal.out(`${formatSkippedFiles(skipped)}\n`);
    }
    if (unreadable.length > 0) return USAGE_EXIT_CODE;
    const failingLevels = flagValues.has(STRICT.name) ? ['error', 'warning'] : ['error'];
    return lintResult.problems.some(({ level }) => failingLevels.includes(level)) ? FAILED_EXIT_CODE : 0;
  },
};
