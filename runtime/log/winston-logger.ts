/** The logging port on winston. Only this file imports winston. */
import { createLogger as createWinston, format, transports, type Logger as WinstonLogger } from 'winston';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { formatHumanLine, formatJsonLine, type LogEntry, type LogFormat } from './log-line.ts';
import { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.ts';

/** Destination of the lines. `isTTY` enables colours of levels in the human format. */
export type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface LoggerOptions {
  /** Lines of lower levels are dropped. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Default stderr: stdout is for the output of a command. */
  readonly stream?: LogStream;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

export interface ClosableLogger extends Logger {
  /** Resolves when the system has received every line so far. Later lines are dropped. */
  close(): Promise<void>;
}

const COLOURS: Readonly<Record<LogLevel, string>> = { error: 'red', info: 'green', debug: 'gray' };

/** A logger that never throws. */
export function createLogger(options: LoggerOptions): ClosableLogger {
  const { level, stream = process.stderr, clock = new SystemClock() } = options;
  const line = options.format === 'json' ? createLineFormat(formatJsonLine) : createHumanFormat(stream.isTTY === true);
  const winston = createWinston({
    level,
    levels: Object.fromEntries(LOG_LEVELS.map((name, index) => [name, index])),
    format: format.combine(format.timestamp({ format: () => clock.now().toISOString() }), line),
    transports: [new transports.Stream({ stream, eol: '\n' })],
  });
  return { ...wrapWinston(winston, []), close: () => close(winston, stream) };
}

/**
 * Winston merges the fields of its own `log(message, fields)` into message and level, so this logger passes them
 * separately.
 */
function createLineFormat(formatLine: (entry: LogEntry) => string) {
  return format.printf((info) => formatLine(info as unknown as LogEntry));
}

function createHumanFormat(hasColour: boolean) {
  const upperCase = format((info) => Object.assign(info, { level: info.level.toUpperCase().padEnd(5) }));
  const colour = hasColour ? [format.colorize({ colors: COLOURS })] : [];
  return format.combine(upperCase(), ...colour, createLineFormat(formatHumanLine));
}

function wrapWinston(winston: WinstonLogger, commonFields: readonly LogFields[]): Logger {
  const write = (level: LogLevel, message: string, fields: LogFields = {}, error?: { thrown: unknown }) => {
    if (!winston.writable || !winston.isLevelEnabled(level)) return;
    winston.log({ level, message, fields: [...commonFields, fields], error });
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    error: (message, thrown, fields) => write('error', message, fields, { thrown }),
    with: (fields) => wrapWinston(winston, [...commonFields, fields]),
  };
}

async function close(winston: WinstonLogger, stream: LogStream): Promise<void> {
  if (!winston.writable) return;
  await new Promise<void>((resolve) => void winston.once('finish', resolve).end());
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
}
