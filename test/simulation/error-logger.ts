import type { LogFields, Logger } from '../../runtime/log/logger.ts';

/** Reports logged errors with the fields of their line, and drops all other lines. */
export function createErrorLogger(onError: (message: string, error: unknown, fields: LogFields) => void): Logger {
  const withFields = (fields: LogFields): Logger => ({
    debug() {},
    info() {},
    error: (message, error, more = {}) => onError(message, error, { ...fields, ...more }),
    with: (more) => withFields({ ...fields, ...more }),
  });
  return withFields({});
}
