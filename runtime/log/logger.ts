/** The logging interface. Messages are constant, and variable data belongs in fields, so that logs can be searched. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** Level of a log line: `error` requires action, `info` is for operators, and `debug` is for developers. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Logs an error with its `cause` chain. Log each error once, where you handle the error. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

/** A logger that discards all lines. */
export const discardLogger: Logger = {
  debug() {},
  info() {},
  error() {},
  with: () => discardLogger,
};
