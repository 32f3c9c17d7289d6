/**
 * An error in the configuration that the user must fix. The message says how to fix the error, and must not contain
 * secrets. The error has no stack, because a stack does not help the user.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'stack', { value: undefined });
  }
}
