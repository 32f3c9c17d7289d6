/** Where a program finds its configuration: kubeconfig files or the ServiceAccount of its Pod. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '../../configuration-error.ts';
import { proxyFromEnvironment } from './environment-proxy.ts';
import { type KubeConfig, LOCAL_SERVER, selectContext } from './kubeconfig.ts';
import { kubeConfigError } from './kubeconfig-error.ts';
import { mergeKubeConfigs } from './merge-files.ts';
import { isReadable } from './read-file.ts';

/** The environment to search. Tests provide their own. */
export interface ProcessEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folder of the token, the certificate authority and the namespace. */
  readonly serviceAccountFolder: string;
}

const PROCESS: ProcessEnvironment = {
  variables: process.env,
  serviceAccountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/**
 * Loads the configuration of an unattended program, as Go's controller-runtime does: the kubeconfig at `path`, else the
 * files of `KUBECONFIG`, else the ServiceAccount of the Pod, else `~/.kube/config`. Throws a {@link ConfigurationError}
 * when there is no configuration, or it is not valid.
 * @param context Default: the current context.
 */
export function loadKubeConfig(path?: string, context?: string, environment = PROCESS): KubeConfig {
  const kubeConfigVariable = environment.variables['KUBECONFIG'];
  const fallback = isInCluster(environment) ? () => loadInClusterConfig(environment) : undefined;
  const config =
    !path && !kubeConfigVariable && !context && fallback
      ? fallback()
      : loadFiles(findFiles(path, environment, homedir()), { contextName: context, fallback });
  return withProxy(config, environment);
}

/**
 * Loads the configuration of an interactive program, as kubectl does: the kubeconfig at `path`, else the files of
 * `KUBECONFIG`, else `~/.kube/config`. The ServiceAccount of a Pod applies only when these name no server; the
 * namespace of the Pod replaces the namespace of the context. Throws a {@link ConfigurationError} when there is no
 * configuration, or it is not valid.
 * @param context Default: the current context.
 */
export function loadKubectlConfig(path?: string, context?: string, environment = PROCESS): KubeConfig {
  const { variables } = environment;
  const isInPod = isInCluster(environment);
  const config = loadFiles(findFiles(path, environment, ''), {
    contextName: context,
    defaultServer: variables['KUBERNETES_MASTER'] || LOCAL_SERVER,
    fallback: isInPod ? () => loadInClusterConfig(environment) : undefined,
  });
  const namespace = config.namespace ?? (isInPod ? readPodNamespace(environment) : undefined);
  return withProxy({ ...config, namespace }, environment);
}

function withProxy(config: KubeConfig, { variables }: ProcessEnvironment): KubeConfig {
  const { cluster } = config;
  if (cluster.proxyUrl !== undefined) return config;
  return { ...config, cluster: { ...cluster, environmentProxy: proxyFromEnvironment(variables, cluster.server) } };
}

/** Names of the contexts in the files that {@link loadKubectlConfig} reads. */
export function listKubeConfigContexts(path?: string, environment = PROCESS): readonly string[] {
  const { files } = findFiles(path, environment, '');
  return [...mergeKubeConfigs(files).contexts.keys()].filter((name) => name !== '');
}

interface KubeConfigFiles {
  readonly files: readonly string[];
  /** Source of the file names. */
  readonly origin: 'flag' | 'KUBECONFIG' | 'home';
}

/** kubectl takes the home folder only from the environment; `home` is for other programs. */
function findFiles(path: string | undefined, { variables }: ProcessEnvironment, home: string): KubeConfigFiles {
  if (path) return { files: [path], origin: 'flag' };
  const files = new Set(variables['KUBECONFIG']?.split(delimiter));
  files.delete('');
  if (variables['KUBECONFIG']) return { files: [...files], origin: 'KUBECONFIG' };
  return { files: [join(variables['HOME'] ?? home, '.kube', 'config')], origin: 'home' };
}

function loadFiles({ files, origin }: KubeConfigFiles, selection: Parameters<typeof selectContext>[1]): KubeConfig {
  const merged = mergeKubeConfigs(files);
  if (!merged.exists && origin === 'flag') throw kubeConfigError(merged.source, 'no such file; correct --kubeconfig');
  const hasDefault = (selection.defaultServer ?? LOCAL_SERVER) !== LOCAL_SERVER;
  if (merged.exists || selection.fallback || hasDefault) return selectContext(merged, selection);
  throw origin === 'home'
    ? new ConfigurationError(`no kubeconfig found: use --kubeconfig, set KUBECONFIG, or create ${merged.source}`)
    : kubeConfigError(merged.source, 'no such file; correct KUBECONFIG, or use --kubeconfig');
}

function isInCluster({ variables, serviceAccountFolder }: ProcessEnvironment): boolean {
  if (!variables['KUBERNETES_SERVICE_HOST'] || !variables['KUBERNETES_SERVICE_PORT']) return false;
  return isReadable(join(serviceAccountFolder, 'token'));
}

/** The ServiceAccount of the Pod. */
function loadInClusterConfig({ variables, serviceAccountFolder }: ProcessEnvironment): KubeConfig {
  const source = 'of the service account';
  const [host = '', port] = [variables['KUBERNETES_SERVICE_HOST'], variables['KUBERNETES_SERVICE_PORT']];
  const server = URL.parse(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (server === null) {
    throw kubeConfigError(
      source,
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a valid address; use --kubeconfig',
    );
  }
  const ca = join(serviceAccountFolder, 'ca.crt');
  return {
    source,
    cluster: { server, skipTlsVerify: false, disableCompression: false, caFile: isReadable(ca) ? ca : undefined },
    user: { name: 'service account', tokenFile: join(serviceAccountFolder, 'token') },
  };
}

function readPodNamespace({ variables, serviceAccountFolder }: ProcessEnvironment): string | undefined {
  if (variables['POD_NAMESPACE']) return variables['POD_NAMESPACE'];
  try {
    return readFileSync(join(serviceAccountFolder, 'namespace'), 'utf8').trim() || undefined;
  } catch {
    return undefined; // like kubectl, which then uses the namespace default
  }
}
