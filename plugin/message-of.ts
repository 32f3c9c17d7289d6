/** Failures in a sentence. */
import { apiErrorOf, ConfigurationError, LabelSelectorError } from 'controller-runtime';
import { CommandError } from './command.ts';

/** `undefined` for a fault of the program. */
export function messageOf(error: unknown): string | undefined {
  const isExplained = [CommandError, ConfigurationError, LabelSelectorError].some((type) => error instanceof type);
  if (isExplained && error instanceof Error) return error.message;
  if (apiErrorOf(error) !== undefined) return `the API server: ${apiErrorOf(error)?.message}`;
  const code = codeOf(error);
  return code === undefined ? undefined : `cannot reach the API server (${code}); check the network and the kubeconfig`;
}

/** Of an error of the network, such as ECONNREFUSED; it may be the cause of another. */
export function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
  }
  return undefined;
}
