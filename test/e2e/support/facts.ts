/** Values that the set-up of test/e2e provides to its tests. */

/**
 * Where the suite can run; `E2E_SITE` chooses:
 * - `node`: our own node on this machine, with a kubelet
 * - `kind`: nodes in Docker containers, created for the run
 * - `existing`: the cluster that `KUBECONFIG` names
 * - `kwok`: Pods only report that they ran, and the manager is a process of this machine
 */
export const SITES = ['node', 'kind', 'existing', 'kwok'] as const;
export type SiteName = (typeof SITES)[number];

export function isSiteName(text: string): text is SiteName {
  return SITES.some((name) => name === text);
}

export interface SiteFacts {
  readonly name: SiteName;
  /** The manager's image, and another name of it for an upgrade. */
  readonly image: string;
  readonly nextImage: string;
}
