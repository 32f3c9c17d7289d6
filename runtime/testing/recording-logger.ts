import type { LogFields, Logger } from '../log/logger.ts';

/** A line of the log. */
export interface LogRecord {
  /** Level of the line. */
  readonly level: 'debug' | 'info' | 'error';
  /** Constant message, without the variable fields. */
  readonly message: string;
  /** Fields of the line and of the logger. */
  readonly fields: LogFields;
  /** The error of a line with the level `error`. */
  readonly error?: unknown;
}

/** A logger that records all log lines. Loggers from {@link with} add their lines to the same list. */
export class RecordingLogger implements Logger {
  readonly records: LogRecord[];
  readonly #fields: LogFields;

  constructor(fields: LogFields = {}, records: LogRecord[] = []) {
    this.#fields = fields;
    this.records = records;
  }

  debug(message: string, fields?: LogFields): void {
    this.records.push({ level: 'debug', message, fields: { ...this.#fields, ...fields } });
  }

  info(message: string, fields?: LogFields): void {
    this.records.push({ level: 'info', message, fields: { ...this.#fields, ...fields } });
  }

  error(message: string, error: unknown, fields?: LogFields): void {
    this.records.push({ level: 'error', message, error, fields: { ...this.#fields, ...fields } });
  }

  with(fields: LogFields): Logger {
    return new RecordingLogger({ ...this.#fields, ...fields }, this.records);
  }

  get errors(): readonly LogRecord[] {
    return this.records.filter(({ level }) => level === 'error');
  }
}
