import { USAGE_EXIT_CODE } from 'controller-runtime/internal';
import { type Command, FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { formatFindings, formatFindingsAsJson, formatSkippedFiles, formatSummary } from '../lint/format-findings.ts';
import { type LintedFiles, lintFiles } from '../lint/lint-files.ts';
import type { Problem } from '../lint/problem.ts';
import {
  formatJitterSuggestion,
  type JitterSuggestion,
  suggestJitter,
  toSuggestionObject,
} from '../lint/suggest-jitter.ts';
import { createOutputFlag, parseOutputFormat } from '../output.ts';

const OUTPUT_FORMATS = ['json'] as const;
const OUTPUT_FLAG = createOutputFlag(OUTPUT_FORMATS);
const STRICT_FLAG = { name: 'strict', description: 'Fail on warnings too.' };
const SUGGEST_JITTER_FLAG = {
  name: 'suggest-jitter',
  description: 'Print patches that spread simultaneous runs.',
};
const QUIET_FLAG = { name: 'quiet', short: 'q', description: 'Print only errors and warnings, without a summary.' };

export const lintCommand: Command = {
  name: 'lint',
  description: 'Check CronJob manifests for errors and warnings.',
  argument: {
    name: 'file',
    description: 'YAML or JSON file, folder, or - for stdin.',
    isRepeated: true,
    values: 'files',
  },
  flags: [OUTPUT_FLAG, STRICT_FLAG, QUIET_FLAG, SUGGEST_JITTER_FLAG],
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
    [2, 'unreadable file'],
  ],
  shouldExitOnInterrupt: true,
  epilogue: 'The command needs no cluster. kubectl apply --dry-run=server also checks Jobs and admission policies.',
  run: async ({ arguments: names, flagValues, terminal, now }) => {
    const format = parseOutputFormat(flagValues, OUTPUT_FORMATS);
    const lintResult = await lintFiles(names, { readStdin: terminal.readStdin, now });
    const suggestion = flagValues.has(SUGGEST_JITTER_FLAG.name)
      ? { jitter: suggestJitter(lintResult.cronJobs, now) }
      : undefined;
    const report = { lintResult, suggestion, isQuiet: flagValues.has(QUIET_FLAG.name) };
    if (format === 'json') printJson(report, terminal);
    else printText(report, terminal);
    if (lintResult.unreadable.length > 0) return USAGE_EXIT_CODE;
    const failingLevels = flagValues.has(STRICT_FLAG.name) ? ['error', 'warning'] : ['error'];
    return lintResult.problems.some(({ level }) => failingLevels.includes(level)) ? FAILED_EXIT_CODE : 0;
  },
};

interface LintReport {
  readonly lintResult: LintedFiles;
  /** Set only if the command line has `--suggest-jitter`. */
  readonly suggestion: { readonly jitter: JitterSuggestion | undefined } | undefined;
  readonly isQuiet: boolean;
}

function printJson({ lintResult, suggestion, isQuiet }: LintReport, { out, err }: Terminal): void {
  const suggestedJitter = suggestion && { suggestedJitter: toSuggestionObject(suggestion.jitter) };
  const problems = selectProblems(lintResult, isQuiet);
  out(formatFindingsAsJson({ ...lintResult, problems }, suggestedJitter));
  for (const { name, reason } of lintResult.unreadable) err(`${name}: ${reason}\n`);
}

function printText({ lintResult, suggestion, isQuiet }: LintReport, terminal: Terminal): void {
  const { fileCount, skipped, unreadable } = lintResult;
  terminal.out(formatFindings(selectProblems(lintResult, isQuiet), terminal));
  for (const { name, reason } of unreadable) terminal.err(`${name}: ${reason}\n`);
  if (!isQuiet && (fileCount > 0 || skipped.length > 0)) terminal.out(`${formatSummary(lintResult)}\n`);
  if (!isQuiet && skipped.length > 0) terminal.out(`${formatSkippedFiles(skipped)}\n`);
  if (suggestion) terminal.out(formatJitterSuggestion(suggestion.jitter, terminal.width));
}

function selectProblems({ problems }: LintedFiles, isQuiet: boolean): readonly Problem[] {
  return problems.filter(({ level }) => !isQuiet || level !== 'note');
}
