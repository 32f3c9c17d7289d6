import type { LogFields, Logger } from '../../runtime/log/logger.ts';

/** Tells of errors that are logged, with the fields of their line, and drops the rest. */
export function errorLog(onError: (message: string, error: unknown, fields: LogFields) => void): Logger {
  const withFields = (fields: LogFields): Logger => ({
    debug() {},
    info() {},
    error: (message, error, more = {}) => onError(message, error, { ...fields, ...more }),
    with: (more) => withFields({ ...fields, ...more }),
  });
  return withFields({});
}
