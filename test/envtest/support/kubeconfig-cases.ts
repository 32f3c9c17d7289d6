/** Kubeconfigs, as users and programs write them. */
import { type Cases, createBuilders, type ServerUrls } from './kubeconfig-cases/builders.ts';
import { clusterCases } from './kubeconfig-cases/clusters.ts';
import { documentCases } from './kubeconfig-cases/documents.ts';
import { execPluginCases } from './kubeconfig-cases/exec-plugins.ts';
import { selectionCases } from './kubeconfig-cases/selection.ts';
import { userCases } from './kubeconfig-cases/users.ts';

export function createKubeConfigCases(servers: ServerUrls): Cases {
  const builders = createBuilders(servers);
  return {
    ...documentCases(builders),
    ...clusterCases(builders),
    ...userCases(builders),
    ...selectionCases(builders),
    ...execPluginCases(builders),
  };
}
