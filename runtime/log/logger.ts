/** The logging port. Messages are constant; variable parts go into fields, so that logs are searchable. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** error = act now; info = of interest tomorrow; debug = of interest to a developer now. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Call it with an Error, once, where it is handled. The log includes its `cause` chain. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

/** Drops everything. */
export const discardLogger: Logger = {
  debug() {},
  info() {},
  error() {},
  with: () => discardLogger,
};
