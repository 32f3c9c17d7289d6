/** Formats the findings of lint as text or as JSON. */
import type { Terminal } from '../command.ts';
import { formatJson } from '../terminal/documents.ts';
import { paintText, type Tone } from '../terminal/paint-text.ts';
import { toOneLine } from '../terminal/wrap-text.ts';
import type { FileSkipReason, LintedFiles, SkippedFile } from './lint-files.ts';
import { PROBLEM_LEVELS, type Problem } from './problem.ts';

/** Formats problems like a compiler (`file:line:column`), so that editors and CI can open the position. */
export function formatFindings(problems: readonly Problem[], terminal: Pick<Terminal, 'hasColors'>): string {
  return problems.map((problem) => `${formatProblem(problem, terminal)}\n`).join('');
}

const TONE_BY_LEVEL: Readonly<Record<Problem['level'], Tone>> = { error: 'bad', warning: 'doubtful', note: 'active' };

function formatProblem(
  { file, line, column, level, field, message }: Problem,
  terminal: Pick<Terminal, 'hasColors'>,
): string {
  const description = `${field === undefined || field === '' ? '' : `${field}: `}${message}`;
  return `${toOneLine(`${file}:${line}:${column}`)}: ${paintText(level, TONE_BY_LEVEL[level], terminal)}: ${toOneLine(description)}`;
}

type Findings = Pick<LintedFiles, 'problems' | 'cronJobs' | 'otherObjectCount' | 'fileCount'>;

/** Returns a text such as `2 CronJobs in 3 files: 1 error, no warnings.` */
export function formatSummary({ problems, cronJobs, otherObjectCount, fileCount }: Findings): string {
  const [errors, warnings] = PROBLEM_LEVELS.map(
    (level) => problems.filter((problem) => problem.level === level).length,
  );
  const counts = `${formatCount(cronJobs.length, 'CronJob')} in ${formatCount(fileCount, 'file')}`;
  const otherObjectsNote =
    otherObjectCount === 0
      ? ''
      : ` ${formatCount(otherObjectCount, 'other object')} ${otherObjectCount === 1 ? 'was' : 'were'} not checked.`;
  return `${counts}: ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}.${otherObjectsNote}`;
}

function formatCount(count = 0, word: string): string {
  return `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`;
}

const SKIP_REASON_WORDS: Readonly<Record<FileSkipReason, readonly [one: string, more: string]>> = {
  'no CronJob': ['without a CronJob', 'without a CronJob'],
  template: ['template', 'templates'],
  patch: ['kustomize patch', 'kustomize patches'],
};

/** Returns a text such as `Skipped 3 files: 2 templates, 1 kustomize patch.` */
export function formatSkippedFiles(skippedFiles: readonly SkippedFile[]): string {
  const counts = Object.entries(SKIP_REASON_WORDS).map(([why, [one, more]]) => {
    const count = skippedFiles.filter((file) => file.why === why).length;
    return count === 0 ? '' : `${count} ${count === 1 ? one : more}`;
  });
  return `Skipped ${formatCount(skippedFiles.length, 'file')}: ${counts.filter((countText) => countText !== '').join(', ')}.`;
}

/**
 * Lists an unreadable file as a problem without a line and a column.
 * @param extraFields Fields to add to the result.
 */
export function formatFindingsAsJson(
  { problems, cronJobs, otherObjectCount, fileCount, skipped, unreadable }: LintedFiles,
  extraFields: object = {},
): string {
  const allProblems = [
    ...unreadable.map(({ name, reason }) => ({ level: 'error', file: name, message: reason })),
    ...problems,
  ];
  const explanations = cronJobs.map(({ manifest: _, ...explanation }) => explanation);
  return formatJson({
    ...{ problems: allProblems, cronJobs: explanations, files: fileCount, otherObjects: otherObjectCount, skipped },
    ...extraFields,
  });
}
