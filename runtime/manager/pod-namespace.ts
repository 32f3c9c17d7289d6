import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../configuration-error.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/**
 * Returns the namespace of the pod in which this process runs. Throws a {@link ConfigurationError} outside of a pod.
 * @param fix Instruction in the error message.
 */
export function podNamespace(fix: string): string {
  try {
    return readFileSync(POD_NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(fix, { cause });
  }
}
