/** Kubeconfigs, as users and programs write them. */
import { buildersFor, type Cases, type Servers } from './kubeconfig-cases/builders.ts';
import { clusterCases } from './kubeconfig-cases/clusters.ts';
import { documentCases } from './kubeconfig-cases/documents.ts';
import { execPluginCases } from './kubeconfig-cases/exec-plugins.ts';
import { selectionCases } from './kubeconfig-cases/selection.ts';
import { userCases } from './kubeconfig-cases/users.ts';

export function kubeConfigCases(servers: Servers): Cases {
  const builders = buildersFor(servers);
  return {
    ...documentCases(builders),
    ...clusterCases(builders),
    ...userCases(builders),
    ...selectionCases(builders),
    ...execPluginCases(builders),
  };
}
