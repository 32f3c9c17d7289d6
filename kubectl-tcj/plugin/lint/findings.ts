/** Formats the findings of lint for users and for programs. */
import type { Terminal } from '../command.ts';
import { formatJson as jsonOf } from '../terminal/documents.ts';
import { paintText, type Tone } from '../terminal/paint.ts';
import { toOneLine } from '../terminal/texts.ts';
import type { FileSkipReason, LintedFiles, SkippedFile } from './lint-files.ts';
import { LEVELS, type Problem } from './problem.ts';

/** In the format of compilers, so that editors and CI find the place. */
export function formatFindings(problems: readonly Problem[], terminal: Pick<Terminal, 'hasColors'>): string {
  return problems.map((problem) => `${formatProblem(problem, terminal)}\n`).join('');
}

const TONES: Readonly<Record<Problem['level'], Tone>> = { error: 'bad', warning: 'doubtful', note: 'active' };

function formatProblem(
  { file, line, column, level, field, message }: Problem,
  terminal: Pick<Terminal, 'hasColors'>,
): string {
  const what = `${field === undefined || field === '' ? '' : `${field}: `}${message}`;
  return `${toOneLine(`${file}:${line}:${column}`)}: ${paintText(level, TONES[level], terminal)}: ${toOneLine(what)}`;
}

type Findings = Pick<LintedFiles, 'problems' | 'cronJobs' | 'others' | 'files'>;

/** `2 CronJobs in 3 files: 1 error, no warnings. 4 other objects were not checked.` */
export function formatSummary({ problems, cronJobs, others, files }: Findings): string {
  const [errors, warnings] = LEVELS.map((level) => problems.filter((problem) => problem.level === level).length);
  const found = `${formatCount(cronJobs.length, 'CronJob')} in ${formatCount(files, 'file')}`;
  const rest =
    others === 0 ? '' : ` ${formatCount(others, 'other object')} ${others === 1 ? 'was' : 'were'} not checked.`;
  return `${found}: ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}.${rest}`;
}

function formatCount(count = 0, word: string): string {
  return `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`;
}

/** Singular and plural form. */
const SKIPPED: Readonly<Record<FileSkipReason, readonly [one: string, more: string]>> = {
  'no CronJob': ['without a CronJob', 'without a CronJob'],
  template: ['template', 'templates'],
  patch: ['kustomize patch', 'kustomize patches'],
};

/** `Skipped 14 files: 11 without a CronJob, 2 templates, 1 kustomize patch.` */
export function formatSkipped(skipped: readonly SkippedFile[]): string {
  const parts = Object.entries(SKIPPED).map(([why, [one, more]]) => {
    const count = skipped.filter((file) => file.why === why).length;
    return count === 0 ? '' : `${count} ${count === 1 ? one : more}`;
  });
  return `Skipped ${formatCount(skipped.length, 'file')}: ${parts.filter((part) => part !== '').join(', ')}.`;
}

/** A file that could not be read is also a problem, without a place. */
export function formatFindingsAsJson({ problems, cronJobs, others, files, skipped, unreadable }: LintedFiles): string {
  const all = [...unreadable.map(({ name, why }) => ({ level: 'error', file: name, message: why })), ...problems];
  return jsonOf({ problems: all, cronJobs, files, otherObjects: others, skipped });
}
