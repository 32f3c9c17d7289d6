/** What lint found, for people and for programs. */
import type { Terminal } from '../command.ts';
import { asJson as jsonOf } from '../terminal/documents.ts';
import { painted, type Tone } from '../terminal/paint.ts';
import { oneLine } from '../terminal/texts.ts';
import type { Unreadable } from './inputs.ts';
import { LEVELS, type LintResult, type Problem } from './problem.ts';

/** As compilers print it, so that editors and CI find the place. */
export function asText(problems: readonly Problem[], terminal: Pick<Terminal, 'hasColors'>): string {
  return problems.map((problem) => `${lineOf(problem, terminal)}\n`).join('');
}

const TONES: Readonly<Record<Problem['level'], Tone>> = { error: 'bad', warning: 'doubtful', note: 'active' };

function lineOf({ file, line, column, level, field, message }: Problem, terminal: Pick<Terminal, 'hasColors'>): string {
  const what = `${field === undefined || field === '' ? '' : `${field}: `}${message}`;
  return `${oneLine(`${file}:${line}:${column}`)}: ${painted(level, TONES[level], terminal)}: ${oneLine(what)}`;
}

interface Findings extends LintResult {
  readonly files: number;
}

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

/** @param unreadable What could not be read at all: a problem too, without a place. */
export function asJson({ problems, cronJobs, others, files }: Findings, unreadable: readonly Unreadable[]): string {
  const all = [...unreadable.map(({ name, why }) => ({ level: 'error', file: name, message: why })), ...problems];
  return jsonOf({ problems: all, cronJobs, files, otherObjects: others });
}
