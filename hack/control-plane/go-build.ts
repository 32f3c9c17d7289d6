/** Builds binaries from Go modules, for machines that can access a module proxy, but not the release files. */
import { join } from 'node:path';
import { run } from './run.ts';
import {
  ACTIONLINT_VERSION,
  type Binary,
  KUBERNETES_VERSION,
  OLDEST_KUBERNETES_VERSION,
  type Platform,
} from './versions.ts';

/** Linker flags set the version in this package. By default, the API server reports the version v0.0.0-master. */
const VERSION_PACKAGE = 'k8s.io/component-base/version';

function createLinkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  return [
    '-s -w',
    `-X ${VERSION_PACKAGE}.gitVersion=v${version}`,
    `-X ${VERSION_PACKAGE}.gitMajor=${major}`,
    `-X ${VERSION_PACKAGE}.gitMinor=${minor}`,
  ].join(' ');
}

interface GoSource {
  readonly module: string;
  readonly package: string;
  readonly linkerFlags: string;
}

const SOURCES: Readonly<Record<Binary, GoSource>> = {
  etcd: { module: 'kubernetes', package: './etcd', linkerFlags: createLinkerFlags(KUBERNETES_VERSION) },
  'kube-apiserver': createKubernetesSource('kube-apiserver'),
  'kube-apiserver-oldest': {
    module: 'kubernetes-oldest',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    linkerFlags: createLinkerFlags(OLDEST_KUBERNETES_VERSION),
  },
  kubectl: createKubernetesSource('kubectl'),
  'kube-controller-manager': createKubernetesSource('kube-controller-manager'),
  'kube-scheduler': createKubernetesSource('kube-scheduler'),
  kubelet: createKubernetesSource('kubelet'),
  'kube-proxy': createKubernetesSource('kube-proxy'),
  kwok: { module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', linkerFlags: '-s -w' },
  helm: { module: 'helm', package: 'helm.sh/helm/v4/cmd/helm', linkerFlags: '-s -w' },
  actionlint: {
    module: 'actionlint',
    package: 'github.com/rhysd/actionlint/cmd/actionlint',
    linkerFlags: `-s -w -X github.com/rhysd/actionlint.version=${ACTIONLINT_VERSION}`,
  },
  'argo-lua': { module: 'argo-lua', package: '.', linkerFlags: '-s -w' },
  kubeconform: { module: 'kubeconform', package: 'github.com/yannh/kubeconform/cmd/kubeconform', linkerFlags: '-s -w' },
  krew: { module: 'krew', package: 'sigs.k8s.io/krew/cmd/krew', linkerFlags: '-s -w' },
  'validate-krew-manifest': {
    module: 'krew',
    package: 'sigs.k8s.io/krew/cmd/validate-krew-manifest',
    linkerFlags: '-s -w',
  },
};

function createKubernetesSource(command: string): GoSource {
  const linkerFlags = createLinkerFlags(KUBERNETES_VERSION);
  return { module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${command}`, linkerFlags };
}

/** Builds a binary in `folder`, in seconds with a warm Go cache, or in minutes with a cold Go cache. */
export async function build(
  binary: Binary,
  folder: string,
  env: NodeJS.ProcessEnv,
  { os, arch }: Platform,
): Promise<void> {
  const { module, package: source, linkerFlags } = SOURCES[binary];
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags, '-o', join(folder, binary), source];
  // Overrides settings of the user for other projects, such as a workspace, cross-compilation or vendoring.
  const goEnv = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off', GOOS: os, GOARCH: arch };
  await run('go', args, { cwd: join(import.meta.dirname, 'go', module), env: { ...env, ...goEnv } });
}
