/** The logging interface. Messages are constant, and variable data belongs in fields, so that logs can be searched. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/**
 * Level of a log line: `error` requires action, `info` is for cluster administrators, and `debug` is for developers.
 */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Writes the log of the library and of an operator. You can pass your own implementation to the manager as the option
 * `log`.
 */
export interface Logger {
  /** Logs a message that helps a developer with debugging. */
  debug(message: string, fields?: LogFields): void;
  /** Logs a message for cluster administrators. */
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
