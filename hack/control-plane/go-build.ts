/** Builds binaries from their Go modules, for machines that reach a module proxy but no release files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Reaper } from './reaper.ts';
import { run } from './run.ts';
import {
  ACTIONLINT_VERSION,
  type Binary,
  KUBERNETES_VERSION,
  OLDEST_KUBERNETES_VERSION,
  type Platform,
} from './versions.ts';

/** Kubernetes' own go.mod asks for it. */
const OLDEST_GO = [1, 26] as const;
/** Of a failed build, the last so many lines are shown. */
const SHOWN_LINES = 20;

/** Without these the API server calls itself v0.0.0-master. */
const VERSION_PACKAGE = 'k8s.io/component-base/version';

function kubernetesLinkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  return [
    '-s -w',
    `-X ${VERSION_PACKAGE}.gitVersion=v${version}`,
    `-X ${VERSION_PACKAGE}.gitMajor=${major}`,
    `-X ${VERSION_PACKAGE}.gitMinor=${minor}`,
  ].join(' ');
}

interface Source {
  readonly module: string;
  readonly package: string;
  readonly linkerFlags: string;
}

const SOURCES: Readonly<Record<Binary, Source>> = {
  etcd: { module: 'kubernetes', package: './etcd', linkerFlags: kubernetesLinkerFlags(KUBERNETES_VERSION) },
  'kube-apiserver': kubernetesCommand('kube-apiserver'),
  'kube-apiserver-oldest': {
    module: 'kubernetes-oldest',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    linkerFlags: kubernetesLinkerFlags(OLDEST_KUBERNETES_VERSION),
  },
  kubectl: kubernetesCommand('kubectl'),
  'kube-controller-manager': kubernetesCommand('kube-controller-manager'),
  'kube-scheduler': kubernetesCommand('kube-scheduler'),
  kubelet: kubernetesCommand('kubelet'),
  'kube-proxy': kubernetesCommand('kube-proxy'),
  kwok: { module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', linkerFlags: '-s -w' },
  helm: { module: 'helm', package: 'helm.sh/helm/v4/cmd/helm', linkerFlags: '-s -w' },
  actionlint: {
    module: 'actionlint',
    package: 'github.com/rhysd/actionlint/cmd/actionlint',
    linkerFlags: `-s -w -X github.com/rhysd/actionlint.version=${ACTIONLINT_VERSION}`,
  },
  'argo-lua': { module: 'argo-lua', package: '.', linkerFlags: '-s -w' },
  krew: { module: 'krew', package: 'sigs.k8s.io/krew/cmd/krew', linkerFlags: '-s -w' },
  'validate-krew-manifest': {
    module: 'krew',
    package: 'sigs.k8s.io/krew/cmd/validate-krew-manifest',
    linkerFlags: '-s -w',
  },
};

function kubernetesCommand(command: string): Source {
  const linkerFlags = kubernetesLinkerFlags(KUBERNETES_VERSION);
  return { module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${command}`, linkerFlags };
}

/** Whether this machine can build; the message tells what stands in the way. */
export type Toolchain =
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'unusable'; readonly message: string };

/** Looks for a Go that can build the control plane. An older one may fetch a newer toolchain, when GOTOOLCHAIN lets it. */
export async function findToolchain(env: NodeJS.ProcessEnv, platform: Platform): Promise<Toolchain> {
  const oldest = OLDEST_GO.join('.');
  try {
    const cwd = moduleFolder('kubernetes');
    const version = (await run('go', ['env', 'GOVERSION'], { cwd, env: buildEnvironment(env, platform) })).trim();
    if (isNewEnough(version)) return { kind: 'ready', version };
    return { kind: 'unusable', message: `Go ${oldest} or newer is needed, this is ${version}` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { kind: 'unusable', message: `Go is not installed (no go on the PATH); ${oldest} or newer is needed` };
    }
    const reason = error instanceof Error ? error.message.split('\n').slice(1).join(' ') : String(error);
    return { kind: 'unusable', message: `Go ${oldest} or newer is needed: ${reason}` };
  }
}

export interface BuildOptions {
  /** The binary is written here. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: Platform;
  /** Hears how far the build is: `412 packages compiled`. */
  readonly onProgress: (detail: string) => void;
}

/** Builds one binary. Takes seconds with a warm Go cache, minutes with a cold one. */
export async function build(binary: Binary, { folder, env, platform, onProgress }: BuildOptions): Promise<void> {
  const source = SOURCES[binary];
  const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', source.linkerFlags];
  const reaper = new Reaper();
  const child = spawn('go', [...args, '-o', join(folder, binary), source.package], {
    cwd: moduleFolder(source.module),
    env: buildEnvironment(env, platform),
    detached: true, // a process group of its own, so that its compilers end with it
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) reaper.watch(child.pid);
  try {
    const exited = once(child, 'close');
    const said = await follow(createInterface(child.stderr), onProgress);
    const [code] = await exited;
    if (code !== 0) throw new Error(`go build ${source.package} failed:\n${said.join('\n')}`);
    if (child.pid !== undefined) reaper.forget(child.pid);
  } finally {
    await reaper.close();
  }
}

/** `go build -v` prints the name of each package it compiles; everything else it prints is worth keeping. */
async function follow(lines: AsyncIterable<string>, onProgress: (detail: string) => void): Promise<readonly string[]> {
  const said: string[] = [];
  let downloaded = 0;
  let compiled = 0;
  for await (const line of lines) {
    if (line.startsWith('go: downloading ')) onProgress(`${++downloaded} modules downloaded`);
    else if (/^\S+$/.test(line)) onProgress(`${++compiled} packages compiled`);
    else said.push(line);
  }
  return said.slice(-SHOWN_LINES);
}

function buildEnvironment(env: NodeJS.ProcessEnv, { os, arch }: Platform): NodeJS.ProcessEnv {
  // A workspace, a cross-compilation or vendoring in the user's environment is meant for another project.
  return { ...env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off', GOOS: os, GOARCH: arch };
}

function moduleFolder(module: string): string {
  return join(import.meta.dirname, 'go', module);
}

function isNewEnough(version: string): boolean {
  const [, major, minor] = (/^go(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined) return true; // a development build: let it try
  return major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1]);
}
