import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../configuration-error.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/**
 * The namespace of the pod that this process runs in. Throws a {@link ConfigurationError} when it runs in none.
 * @param fix What the error says to do.
 */
export function podNamespace(fix: string): string {
  try {
    return readFileSync(POD_NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(fix, { cause });
  }
}
