/**
 * A mistake in the configuration, which the user of the program must fix. The message says what to fix. It has no
 * stack, because a stack would not help the user. The message must contain nothing secret.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'stack', { value: undefined });
  }
}
