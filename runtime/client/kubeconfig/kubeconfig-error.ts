import { ConfigurationError } from '../../configuration-error.ts';

/**
 * An error about a kubeconfig in one sentence: where, what is wrong, what to do. It never contains values, because any
 * value may be a secret.
 */
export function kubeConfigError(where: string, what: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${where}: ${what}`);
}

/** The same error about a field; `where` ends with the field's path. */
export function fieldError(where: string, what: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${where} ${what}`);
}

/** The code of a system error, such as `ENOENT`. */
export function getErrorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'failed';
}
