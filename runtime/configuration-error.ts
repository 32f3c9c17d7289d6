/**
 * Something that whoever starts the program has to set right. Its message says what, and it has no stack: where the program noticed
 * helps nobody. Whoever makes one vouches that nothing secret is in it.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'stack', { value: undefined });
  }
}
