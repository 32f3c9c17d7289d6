/** The logging interface. Messages are constant, and variable data belongs in fields, so that logs can be searched. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** Level of a log line: `error` requires action, `info` is for operators, and `debug` is for developers. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes the log of the library and of an operator. Your own implementation can be the option `log` of the manager. */
export interface Logger {
  /** Logs what a developer needs for debugging. */
  debug(message: string, fields?: LogFields): void;
  /** Logs what an operator of the cluster needs to know. */
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
