import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../configuration-error.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Returns the namespace of this pod. Throws a {@link ConfigurationError} if the process does not run in a pod. */
export function readPodNamespace(errorMessage: string): string {
  try {
    return readFileSync(POD_NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(errorMessage, { cause });
  }
}
