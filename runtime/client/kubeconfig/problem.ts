import { ConfigurationError } from '../../configuration-error.ts';

/** One sentence about a kubeconfig: where, what is wrong, what to do. Values are never in it, as any may be a secret. */
export function problem(where: string, what: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${where}: ${what}`);
}

/** The same about a field, whose path `where` ends with. */
export function fieldProblem(where: string, what: string): ConfigurationError {
  return new ConfigurationError(`kubeconfig ${where} ${what}`);
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'failed';
}
