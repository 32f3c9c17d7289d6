/** One log entry as a line of text, in JSON or human-readable. */

import { escapeUnprintable } from './escape-unprintable.ts';
import type { LogFields } from './logger.ts';
import { type PlainValue, toPlainValue } from './to-plain-value.ts';

export const LOG_FORMATS = ['json', 'human'] as const;

/** `json`: one object per line. `human`: short lines for a terminal. */
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogEntry {
  /** Level as the line shows it. */
  readonly level: string;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly message: string;
  /** Later fields override earlier ones. */
  readonly fields: readonly LogFields[];
  /** Absent when the entry is not about an error. Usually an Error, but code can throw any value. */
  readonly error?: { readonly thrown: unknown };
}

/** Keys that the entry itself uses; a field with such a name gets a trailing underscore. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(['level', 'ts', 'msg', 'error']);

/**
 * One JSON object: level, ts, logger if present, msg, then the fields at the same level, as in zap, then error as
 * {name, message, stack, cause}.
 */
export function formatJsonLine({ level, timestamp, message, fields, error }: LogEntry): string {
  const { logger, ...rest } = toPlainFields(fields);
  const named = Object.entries(rest).map(([key, value]) => [RESERVED_KEYS.has(key) ? `${key}_` : key, value]);
  const line = JSON.stringify({
    level,
    ts: timestamp,
    ...(logger !== undefined && { logger }),
    msg: message,
    ...Object.fromEntries(named),
    ...(error && { error: toPlainError(error.thrown) }),
  });
  return escapeUnprintable(line);
}

/**
 * Time of day in UTC, level, logger, message and fields as key=value; then the error with its stack, and one line for
 * each cause.
 */
export function formatHumanLine(entry: LogEntry): string {
  const { logger, ...rest } = toPlainFields(entry.fields);
  const pairs = Object.entries(rest).map(([key, value]) => ` ${escapeUnprintable(key)}=${formatValue(value)}`);
  return [
    entry.timestamp.slice('2030-01-01T'.length, -'Z'.length),
    ` ${entry.level} `,
    logger === undefined ? '' : `${formatValue(logger)}: `,
    escapeUnprintable(entry.message),
    ...pairs,
    ...(entry.error ? formatError(toPlainError(entry.error.thrown)) : []),
  ].join('');
}

/** Converts each object before it merges them: copying an arbitrary object can throw, while the conversion cannot. */
function toPlainFields(fields: readonly LogFields[]): Readonly<Record<string, PlainValue>> {
  return Object.assign({}, ...fields.map((object) => toPlainValue(object)));
}

function toPlainError(thrown: unknown): Readonly<Record<string, PlainValue>> {
  const plain = toPlainValue(thrown);
  return isRecord(plain) ? plain : { message: String(plain) };
}

function isRecord(value: PlainValue | undefined): value is Readonly<Record<string, PlainValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Prints a single word as it is, and any other value as JSON, without the stacks of errors: those go below the line.
 */
function formatValue(value: PlainValue): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return escapeUnprintable(value);
  return escapeUnprintable(JSON.stringify(value, (key, nested) => (key === 'stack' ? undefined : nested)));
}

function formatError(error: Readonly<Record<string, PlainValue>>): string[] {
  const lines = [formatTitle(error), ...parseFrames(error)].map((line) => `\n    ${line}`);
  for (let cause = error['cause']; cause !== undefined; cause = isRecord(cause) ? cause['cause'] : undefined) {
    lines.push(`\n    caused by ${isRecord(cause) ? formatTitle(cause) : formatValue(cause)}`);
  }
  return lines;
}

function formatTitle({ name = 'Error', message = '' }: Readonly<Record<string, PlainValue>>): string {
  const text = message === '' ? String(name) : `${String(name)}: ${String(message)}`;
  return escapeUnprintable(text);
}

/**
 * The stack lines with code locations. The lines before them are the name and the message, which may have several
 * lines.
 */
function parseFrames({ name, message, stack }: Readonly<Record<string, PlainValue>>): readonly string[] {
  if (typeof stack !== 'string') return [];
  const title = message === '' ? String(name) : `${String(name)}: ${String(message)}`;
  const rest = stack.startsWith(title) ? stack.slice(title.length) : stack;
  return rest
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .map(escapeUnprintable);
}
