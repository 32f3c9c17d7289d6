/** The logging port on winston. The only importer of winston. */
import { createLogger as createWinston, format, transports, type Logger as WinstonLogger } from 'winston';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { GatheredLines } from './gathered-lines.ts';
import { humanLine, jsonLine, type LogEntry, type LogFormat } from './log-line.ts';
import { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.ts';

/** Where lines go. `isTTY` makes levels coloured in the human format. */
export type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface LoggerOptions {
  /** Lines of lower levels are dropped. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Default stderr: what a command prints is on stdout. */
  readonly stream?: LogStream;
  /** Default the machine's. */
  readonly clock?: Clock;
}

export interface ClosableLogger extends Logger {
  /** Resolves when every line so far has been handed to the system. What is logged afterwards is dropped. */
  close(): Promise<void>;
}

/** The lower, the more severe. */
const SEVERITY = Object.fromEntries(LOG_LEVELS.map((name, index) => [name, index])) as Record<LogLevel, number>;

/** A logger that never throws, whatever is in the fields. */
export function createLogger(options: LoggerOptions): ClosableLogger {
  const { level, stream = process.stderr, clock = new SystemClock() } = options;
  const hasColour = stream.isTTY === true;
  const lines = new GatheredLines(stream);
  const render = options.format === 'json' ? jsonLine : (entry: LogEntry) => humanLine(entry, hasColour);
  const winston = createWinston({
    level,
    levels: SEVERITY,
    // Winston's own fields are for its own formats; the entry travels beside them.
    format: format.printf((info) => render(info['entry'] as LogEntry)),
    transports: [new transports.Stream({ stream: lines, eol: '\n' })],
  });
  const state: LoggerState = { winston, clock, severity: SEVERITY[level], isClosed: false };
  return {
    ...loggerWith(state, []),
    close: () => close(state, lines),
  };
}

interface LoggerState {
  readonly winston: WinstonLogger;
  readonly clock: Clock;
  /** Of the least severe messages that are written. */
  readonly severity: number;
  isClosed: boolean;
}

function loggerWith(state: LoggerState, fixed: readonly LogFields[]): Logger {
  const write = (level: LogLevel, message: string, fields: LogFields | undefined, error?: { thrown: unknown }) => {
    // Not winston's own question, which looks through all transports: most messages are of a level that is off.
    if (state.isClosed || SEVERITY[level] > state.severity) return;
    const entry: LogEntry = {
      level,
      at: state.clock.now(),
      message,
      fields: fields === undefined ? fixed : [...fixed, fields],
      ...(error && { error }),
    };
    state.winston.log({ level, message, entry });
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    error: (message, thrown, fields) => write('error', message, fields, { thrown }),
    with: (fields) => loggerWith(state, [...fixed, fields]),
  };
}

async function close(state: LoggerState, lines: GatheredLines): Promise<void> {
  if (state.isClosed) return;
  state.isClosed = true;
  await new Promise<void>((resolve) => {
    state.winston.once('finish', resolve);
    state.winston.end();
  });
  await new Promise<void>((resolve) => lines.end(resolve));
}
