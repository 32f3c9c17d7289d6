import { createLogger as createWinstonLogger, format, transports, type Logger as WinstonLogger } from 'winston';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { formatConsoleLine, formatJsonLine, type LogEntry, type LogFormat } from './log-line.ts';
import { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.ts';

/** Destination of the log lines. `isTTY` enables coloured levels in the human format. */
export type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface LoggerOptions {
  /** Minimum level of log lines. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Destination of the log lines. Default stderr, because commands print their output to stdout. */
  readonly stream?: LogStream;
  /** Clock of the timestamps. Default: the system clock. */
  readonly clock?: Clock;
}

export interface ClosableLogger extends Logger {
  /** Resolves after the operating system has received all lines. Lines that are logged later are discarded. */
  close(): Promise<void>;
}

const LEVEL_COLOURS: Readonly<Record<LogLevel, string>> = { error: 'red', info: 'green', debug: 'gray' };

/** Creates a logger whose methods never throw. */
export function createLogger(options: LoggerOptions): ClosableLogger {
  const { level, stream = process.stderr, clock = new SystemClock() } = options;
  const lineFormat =
    options.format === 'json' ? toWinstonFormat(formatJsonLine) : createConsoleFormat(stream.isTTY === true);
  const winston = createWinstonLogger({
    level,
    levels: Object.fromEntries(LOG_LEVELS.map((name, index) => [name, index])),
    format: format.combine(format.timestamp({ format: () => clock.now().toISOString() }), lineFormat),
    transports: [new transports.Stream({ stream, eol: '\n' })],
  });
  const enabledLevels = LOG_LEVELS.filter((name) => winston.isLevelEnabled(name));
  return { ...wrapWinston(winston, enabledLevels, []), close: () => closeWinston(winston, stream) };
}

/**
 * Converts a function to a winston format. The entry has the property `fields`, because winston would merge an object
 * into the entry.
 */
function toWinstonFormat(formatLine: (entry: LogEntry) => string) {
  return format.printf((entry) => formatLine(entry as unknown as LogEntry));
}

function createConsoleFormat(hasColour: boolean) {
  const upperCaseFormat = format((entry) => Object.assign(entry, { level: entry.level.toUpperCase().padEnd(5) }));
  const colourFormats = hasColour ? [format.colorize({ colors: LEVEL_COLOURS })] : [];
  return format.combine(upperCaseFormat(), ...colourFormats, toWinstonFormat(formatConsoleLine));
}

function wrapWinston(
  winston: WinstonLogger,
  enabledLevels: readonly LogLevel[],
  commonFields: readonly LogFields[],
): Logger {
  const write = (level: LogLevel, message: string, fields: LogFields = {}, error?: { thrown: unknown }) => {
    if (!winston.writable || !enabledLevels.includes(level)) return;
    winston.log({ level, message, fields: [...commonFields, fields], error });
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    error: (message, thrown, fields) => write('error', message, fields, { thrown }),
    with: (fields) => wrapWinston(winston, enabledLevels, [...commonFields, fields]),
  };
}

async function closeWinston(winston: WinstonLogger, stream: LogStream): Promise<void> {
  if (!winston.writable) return;
  await new Promise<void>((resolve) => void winston.once('finish', resolve).end());
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
}
