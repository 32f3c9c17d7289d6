/** Where a program finds its configuration: kubeconfig files or the ServiceAccount of its Pod. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '../../configuration-error.ts';
import { proxyFromEnvironment } from './environment-proxy.ts';
import { type KubeConfig, LOCAL_SERVER, selectContext } from './kubeconfig.ts';
import { mergeKubeConfigs } from './merge-files.ts';
import { problem } from './problem.ts';
import { isReadable } from './read-file.ts';

/** The environment to search. Tests provide their own. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the token, the certificate authority and the namespace. */
  readonly serviceAccount: string;
}

const PROCESS: Surroundings = {
  environment: process.env,
  serviceAccount: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/**
 * Loads the configuration of an unattended program, as Go's controller-runtime does: the kubeconfig at `path`, else the
 * files of `KUBECONFIG`, else the ServiceAccount of the Pod, else `~/.kube/config`. Throws a {@link ConfigurationError}
 * when there is no configuration, or it is not valid.
 * @param context Default: the current context.
 */
export function loadKubeConfig(path?: string, context?: string, surroundings = PROCESS): KubeConfig {
  const ofVariable = surroundings.environment['KUBECONFIG'];
  const fallback = isInCluster(surroundings) ? () => inCluster(surroundings) : undefined;
  const config =
    !path && !ofVariable && !context && fallback
      ? fallback()
      : loaded(filesOf(path, surroundings, homedir()), { contextName: context, fallback });
  return withProxy(config, surroundings);
}

/**
 * Loads the configuration of an interactive program, as kubectl does: the kubeconfig at `path`, else the files of
 * `KUBECONFIG`, else `~/.kube/config`. The ServiceAccount of a Pod applies only when these name no server; the
 * namespace of the Pod replaces the namespace of the context. Throws a {@link ConfigurationError} when there is no
 * configuration, or it is not valid.
 * @param context Default: the current context.
 */
export function loadKubectlConfig(path?: string, context?: string, surroundings = PROCESS): KubeConfig {
  const { environment } = surroundings;
  const isPossible = isInCluster(surroundings);
  const config = loaded(filesOf(path, surroundings, ''), {
    contextName: context,
    defaultServer: environment['KUBERNETES_MASTER'] || LOCAL_SERVER,
    fallback: isPossible ? () => inCluster(surroundings) : undefined,
  });
  const namespace = config.namespace ?? (isPossible ? namespaceOfPod(surroundings) : undefined);
  return withProxy({ ...config, namespace }, surroundings);
}

function withProxy(config: KubeConfig, { environment }: Surroundings): KubeConfig {
  const { cluster } = config;
  if (cluster.proxyUrl !== undefined) return config;
  return { ...config, cluster: { ...cluster, environmentProxy: proxyFromEnvironment(environment, cluster.server) } };
}

/** Names of the contexts in the files that {@link loadKubectlConfig} reads. */
export function listKubeConfigContexts(path?: string, surroundings = PROCESS): readonly string[] {
  const { files } = filesOf(path, surroundings, '');
  return [...mergeKubeConfigs(files).contexts.keys()].filter((name) => name !== '');
}

interface Files {
  readonly files: readonly string[];
  /** Source of the file names. */
  readonly origin: 'flag' | 'KUBECONFIG' | 'home';
}

/** kubectl takes the home folder only from the environment; `home` is for other programs. */
function filesOf(path: string | undefined, { environment }: Surroundings, home: string): Files {
  if (path) return { files: [path], origin: 'flag' };
  const files = new Set(environment['KUBECONFIG']?.split(delimiter));
  files.delete('');
  if (environment['KUBECONFIG']) return { files: [...files], origin: 'KUBECONFIG' };
  return { files: [join(environment['HOME'] ?? home, '.kube', 'config')], origin: 'home' };
}

function loaded({ files, origin }: Files, selection: Parameters<typeof selectContext>[1]): KubeConfig {
  const merged = mergeKubeConfigs(files);
  if (!merged.exists && origin === 'flag') throw problem(merged.source, 'no such file; correct --kubeconfig');
  const hasDefault = (selection.defaultServer ?? LOCAL_SERVER) !== LOCAL_SERVER;
  if (merged.exists || selection.fallback || hasDefault) return selectContext(merged, selection);
  throw origin === 'home'
    ? new ConfigurationError(`no kubeconfig found: give --kubeconfig, set KUBECONFIG, or create ${merged.source}`)
    : problem(merged.source, 'no such file; correct KUBECONFIG, or give --kubeconfig');
}

function isInCluster({ environment, serviceAccount }: Surroundings): boolean {
  if (!environment['KUBERNETES_SERVICE_HOST'] || !environment['KUBERNETES_SERVICE_PORT']) return false;
  return isReadable(join(serviceAccount, 'token'));
}

/** The ServiceAccount of the Pod. */
function inCluster({ environment, serviceAccount }: Surroundings): KubeConfig {
  const source = 'of the service account';
  const [host = '', port] = [environment['KUBERNETES_SERVICE_HOST'], environment['KUBERNETES_SERVICE_PORT']];
  const server = URL.parse(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (server === null) {
    throw problem(source, 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server; give --kubeconfig');
  }
  const ca = join(serviceAccount, 'ca.crt');
  return {
    source,
    cluster: { server, skipTlsVerify: false, disableCompression: false, caFile: isReadable(ca) ? ca : undefined },
    user: { name: 'service account', tokenFile: join(serviceAccount, 'token') },
  };
}

function namespaceOfPod({ environment, serviceAccount }: Surroundings): string | undefined {
  if (environment['POD_NAMESPACE']) return environment['POD_NAMESPACE'];
  try {
    return readFileSync(join(serviceAccount, 'namespace'), 'utf8').trim() || undefined;
  } catch {
    return undefined; // like kubectl, which then uses the namespace default
  }
}
