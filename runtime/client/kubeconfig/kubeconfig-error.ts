import { ConfigurationError } from '../../configuration-error.ts';

/**
 * Returns an error with the location and the problem. The error message must not contain values of the kubeconfig,
 * because a value may be a secret.
 */
export function createKubeConfigError(location: string, problem: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${location}: ${problem}`);
}

export function createFieldError(location: string, problem: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${location} ${problem}`);
}

/** Returns the code of a system error, such as `ENOENT`. */
export function getErrorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'failed';
}
