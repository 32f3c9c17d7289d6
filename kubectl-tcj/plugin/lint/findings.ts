/** Formats the findings of lint for users and for programs. */
import type { Terminal } from '../command.ts';
import { asJson as jsonOf } from '../terminal/documents.ts';
import { painted, type Tone } from '../terminal/paint.ts';
import { oneLine } from '../terminal/texts.ts';
import type { LintedFiles, SkippedFile, SkipReason } from './lint-files.ts';
import { LEVELS, type Problem } from './problem.ts';

/** In the format of compilers, so that editors and CI find the place. */
export function asText(problems: readonly Problem[], terminal: Pick<Terminal, 'hasColors'>): string {
  return problems.map((problem) => `${lineOf(problem, terminal)}\n`).join('');
}

const TONES: Readonly<Record<Problem['level'], Tone>> = { error: 'bad', warning: 'doubtful', note: 'active' };

function lineOf({ file, line, column, level, field, message }: Problem, terminal: Pick<Terminal, 'hasColors'>): string {
  const what = `${field === undefined || field === '' ? '' : `${field}: `}${message}`;
  return `${oneLine(`${file}:${line}:${column}`)}: ${painted(level, TONES[level], terminal)}: ${oneLine(what)}`;
}

type Findings = Pick<LintedFiles, 'problems' | 'cronJobs' | 'others' | 'files'>;

/** `2 CronJobs in 3 files: 1 error, no warnings. 4 other objects were not checked.` */
export function summaryOf({ problems, cronJobs, others, files }: Findings): string {
  const [errors, warnings] = LEVELS.map((level) => problems.filter((problem) => problem.level === level).length);
  const found = `${counted(cronJobs.length, 'CronJob')} in ${counted(files, 'file')}`;
  const rest = others === 0 ? '' : ` ${counted(others, 'other object')} ${others === 1 ? 'was' : 'were'} not checked.`;
  return `${found}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.${rest}`;
}

function counted(count = 0, word: string): string {
  return `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`;
}

/** Singular and plural form. */
const SKIPPED: Readonly<Record<SkipReason, readonly [one: string, more: string]>> = {
  'no CronJob': ['without a CronJob', 'without a CronJob'],
  template: ['template', 'templates'],
  patch: ['kustomize patch', 'kustomize patches'],
};

/** `Skipped 14 files: 11 without a CronJob, 2 templates, 1 kustomize patch.` */
export function skippedLine(skipped: readonly SkippedFile[]): string {
  const parts = Object.entries(SKIPPED).map(([why, [one, more]]) => {
    const count = skipped.filter((file) => file.why === why).length;
    return count === 0 ? '' : `${count} ${count === 1 ? one : more}`;
  });
  return `Skipped ${counted(skipped.length, 'file')}: ${parts.filter((part) => part !== '').join(', ')}.`;
}

/** A file that could not be read is also a problem, without a place. */
export function asJson({ problems, cronJobs, others, files, skipped, unreadable }: LintedFiles): string {
  const all = [...unreadable.map(({ name, why }) => ({ level: 'error', file: name, message: why })), ...problems];
  return jsonOf({ problems: all, cronJobs, files, otherObjects: others, skipped });
}
