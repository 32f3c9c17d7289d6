/** The namespace that this process runs in, when it runs in a pod. */
import { readFile } from 'node:fs/promises';

/** Where the kubelet puts it beside the service account's token. */
const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** `undefined` outside a pod, and in one without a service account. */
export async function inClusterNamespace(file: string = NAMESPACE_FILE): Promise<string | undefined> {
  try {
    const namespace = (await readFile(file, 'utf8')).trim();
    return namespace === '' ? undefined : namespace;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`read ${file}`, { cause: error });
  }
}
