import { apiErrorOf } from 'controller-runtime';
import { codeOf } from '../message-of.ts';

/** A failure after which the same request may succeed, and may have succeeded: no answer, or one that says so. */
export function isPassing(error: unknown): boolean {
  const status = apiErrorOf(error)?.code;
  if (status === undefined) return codeOf(error) !== undefined;
  return status >= 500 || status === 429;
}
