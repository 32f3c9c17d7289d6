/** Formats a log entry as a line of text. */

import { escapeUnprintable } from './escape-unprintable.ts';
import type { LogFields } from './logger.ts';
import { type PlainValue, toPlainValue } from './to-plain-value.ts';

export const LOG_FORMATS = ['json', 'human'] as const;

/** Format of log lines: `json` is one JSON object per line, and `human` is a short line for a terminal. */
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogEntry {
  /** Level as the line shows it, such as `info`, or `INFO` with a colour. */
  readonly level: string;
  /** Time in ISO 8601 format, in UTC. */
  readonly timestamp: string;
  readonly message: string;
  /** Fields of the log line. If several objects contain the same field, the last object takes precedence. */
  readonly fields: readonly LogFields[];
  /** The logged error, if any. Code usually throws an Error, but JavaScript can throw any value. */
  readonly error?: { readonly thrown: unknown };
}

/** If a caller logs a field with one of these reserved keys, the formatter appends an underscore to the key. */
const RESERVED_LOG_KEYS: ReadonlySet<string> = new Set(['level', 'ts', 'msg', 'error']);

/**
 * Formats an entry as a JSON object. The object contains `level`, `ts`, `logger` (if set), `msg`, the fields and
 * `error`. The value of `error` contains `name`, `message`, `stack` and `cause`. Go's zap library uses the same keys.
 */
export function formatJsonLine({ level, timestamp, message, fields, error }: LogEntry): string {
  const { logger, ...otherFields } = toPlainFields(fields);
  const line = JSON.stringify({
    level,
    ts: timestamp,
    ...(logger !== undefined && { logger }),
    msg: message,
    ...withoutReservedKeys(otherFields),
    ...(error && { error: toPlainError(error.thrown) }),
  });
  return escapeUnprintable(line);
}

function withoutReservedKeys(fields: Readonly<Record<string, PlainValue>>): Readonly<Record<string, PlainValue>> {
  const entries = Object.entries(fields);
  return entries.some(([key]) => RESERVED_LOG_KEYS.has(key))
    ? Object.fromEntries(entries.map(([key, value]) => [RESERVED_LOG_KEYS.has(key) ? `${key}_` : key, value]))
    : fields;
}

/**
 * Formats an entry as a line with the time of day in UTC, level, logger, message, and fields as key=value. Lines for
 * the error, its stack and its causes follow.
 */
export function formatConsoleLine(entry: LogEntry): string {
  const { logger, ...otherFields } = toPlainFields(entry.fields);
  const fieldTexts = Object.entries(otherFields).map(
    ([key, value]) => ` ${escapeUnprintable(key)}=${formatValue(value)}`,
  );
  return [
    entry.timestamp.slice('2030-01-01T'.length, -'Z'.length),
    ` ${entry.level} `,
    logger === undefined ? '' : `${formatValue(logger)}: `,
    escapeUnprintable(entry.message),
    ...fieldTexts,
    ...(entry.error ? formatError(toPlainError(entry.error.thrown)) : []),
  ].join('');
}

/** Converts each object to plain values before the merge, because copying an arbitrary object can throw. */
function toPlainFields(fields: readonly LogFields[]): Readonly<Record<string, PlainValue>> {
  return Object.assign({}, ...fields.map((object) => toPlainValue(object)));
}

function toPlainError(thrownValue: unknown): Readonly<Record<string, PlainValue>> {
  const plainValue = toPlainValue(thrownValue);
  return isRecord(plainValue) ? plainValue : { message: String(plainValue) };
}

function isRecord(value: PlainValue | undefined): value is Readonly<Record<string, PlainValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a single word unchanged, and any other value as JSON. Omits the stacks of errors, to keep the line short. */
function formatValue(value: PlainValue): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return escapeUnprintable(value);
  return escapeUnprintable(JSON.stringify(value, (key, nestedValue) => (key === 'stack' ? undefined : nestedValue)));
}

function formatError(error: Readonly<Record<string, PlainValue>>): string[] {
  const lines = [formatErrorTitle(error), ...formatStackFrames(error)].map((line) => `\n    ${line}`);
  for (let cause = error['cause']; cause !== undefined; cause = isRecord(cause) ? cause['cause'] : undefined) {
    lines.push(`\n    caused by ${isRecord(cause) ? formatErrorTitle(cause) : formatValue(cause)}`);
  }
  return lines;
}

function formatErrorTitle({ name = 'Error', message = '' }: Readonly<Record<string, PlainValue>>): string {
  const title = message === '' ? String(name) : `${String(name)}: ${String(message)}`;
  return escapeUnprintable(title);
}

/** Returns the lines of the stack that contain code locations. */
function formatStackFrames({ name, message, stack }: Readonly<Record<string, PlainValue>>): readonly string[] {
  if (typeof stack !== 'string') return [];
  const title = message === '' ? String(name) : `${String(name)}: ${String(message)}`;
  const stackLines = stack.startsWith(title) ? stack.slice(title.length) : stack;
  return stackLines
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .map(escapeUnprintable);
}
