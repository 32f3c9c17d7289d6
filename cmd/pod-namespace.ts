import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../runtime/configuration-error.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/**
 * The namespace of the pod that this process runs in. Throws when it runs in none.
 * @param fix What the error says to do.
 */
export function podNamespace(fix: string, readFile: (path: string) => string = readText): string {
  try {
    return readFile(POD_NAMESPACE_FILE).trim();
  } catch (cause) {
    throw new ConfigurationError(fix, { cause });
  }
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
