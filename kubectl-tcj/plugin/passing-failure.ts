import { apiErrorOf, ConfigurationError } from 'controller-runtime';
import { codeOf, isFault } from './message-of.ts';

/** A failure after which the same request may succeed, and may have succeeded: no answer, or one that says so. */
export function isPassing(error: unknown): boolean {
  const status = apiErrorOf(error)?.code;
  if (status === undefined) return !isFault(error) && codeOf(error) !== undefined;
  return status >= 500 || status === 429;
}

/** Whether the credentials were refused, or cannot be read: somebody may be renewing them. */
export function lacksCredentials(error: unknown): boolean {
  return apiErrorOf(error)?.code === 401 || error instanceof ConfigurationError;
}
