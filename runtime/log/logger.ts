/** The logging port. Messages are constant; what varies goes into fields, so that logs can be searched. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** error = somebody must look; info = a human cares tomorrow; debug = a developer cares now. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Only with an Error, once, where it is handled. Its `cause` chain is kept. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

/** Drops everything. */
export const discardLogger: Logger = {
  debug() {},
  info() {},
  error() {},
  with: () => discardLogger,
};
