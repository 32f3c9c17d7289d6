/** Loads the configuration of a program from kubeconfig files or from the ServiceAccount of its Pod. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '../../configuration-error.ts';
import { getProxyFromEnvironment } from './environment-proxy.ts';
import { type KubeConfig, LOCAL_SERVER_URL, selectContext } from './kubeconfig.ts';
import { createKubeConfigError } from './kubeconfig-error.ts';
import { mergeKubeConfigs } from './merge-kubeconfigs.ts';
import { isReadable } from './read-kubeconfig-file.ts';

export interface ProcessEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folder with the files `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountFolder: string;
}

const PROCESS_ENVIRONMENT: ProcessEnvironment = {
  variables: process.env,
  serviceAccountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/**
 * Loads the configuration of an unattended program, as controller-runtime in Go does. Uses the first source that
 * exists: the file `path`, the files of `KUBECONFIG`, the ServiceAccount of the Pod, `~/.kube/config`. Throws a
 * {@link ConfigurationError} if the configuration is missing or invalid.
 * @param context Name of a context. Default: the current context.
 */
export function loadKubeConfig(path?: string, context?: string, environment = PROCESS_ENVIRONMENT): KubeConfig {
  const kubeConfigVariable = environment.variables['KUBECONFIG'];
  const fallback = isInCluster(environment) ? () => loadInClusterConfig(environment) : undefined;
  const config =
    !path && !kubeConfigVariable && !context && fallback
      ? fallback()
      : loadKubeConfigFiles(findKubeConfigFiles(path, environment, homedir()), { contextName: context, fallback });
  return withEnvironmentProxy(config, environment);
}

/**
 * Loads the configuration of an interactive program, as kubectl does. Uses the first source that exists: the file
 * `path`, the files of `KUBECONFIG`, `~/.kube/config`. If the files configure no server, uses the ServiceAccount of the
 * Pod. In a Pod, the default namespace is the namespace of the Pod. Throws a {@link ConfigurationError} if the
 * configuration is missing or invalid.
 * @param context Name of a context. Default: the current context.
 */
export function loadKubectlConfig(path?: string, context?: string, environment = PROCESS_ENVIRONMENT): KubeConfig {
  const { variables } = environment;
  const isInPod = isInCluster(environment);
  const config = loadKubeConfigFiles(findKubeConfigFiles(path, environment, ''), {
    contextName: context,
    defaultServer: variables['KUBERNETES_MASTER'] || LOCAL_SERVER_URL,
    fallback: isInPod ? () => loadInClusterConfig(environment) : undefined,
  });
  const namespace = config.namespace ?? (isInPod ? readPodNamespace(environment) : undefined);
  return withEnvironmentProxy({ ...config, namespace }, environment);
}

function withEnvironmentProxy(config: KubeConfig, { variables }: ProcessEnvironment): KubeConfig {
  const { cluster } = config;
  if (cluster.proxyUrl !== undefined) return config;
  return { ...config, cluster: { ...cluster, environmentProxy: getProxyFromEnvironment(variables, cluster.server) } };
}

/** Returns the names of the contexts in the files that {@link loadKubectlConfig} reads. */
export function listKubeConfigContexts(path?: string, environment = PROCESS_ENVIRONMENT): readonly string[] {
  const { files } = findKubeConfigFiles(path, environment, '');
  return [...mergeKubeConfigs(files).contexts.keys()].filter((name) => name !== '');
}

interface KubeConfigFiles {
  readonly files: readonly string[];
  readonly origin: 'flag' | 'KUBECONFIG' | 'home';
}

/** @param homeFolder Home folder to use if the environment variable `HOME` is not set. */
function findKubeConfigFiles(
  path: string | undefined,
  { variables }: ProcessEnvironment,
  homeFolder: string,
): KubeConfigFiles {
  if (path) return { files: [path], origin: 'flag' };
  const files = new Set(variables['KUBECONFIG']?.split(delimiter));
  files.delete('');
  if (variables['KUBECONFIG']) return { files: [...files], origin: 'KUBECONFIG' };
  return { files: [join(variables['HOME'] ?? homeFolder, '.kube', 'config')], origin: 'home' };
}

function loadKubeConfigFiles(
  { files, origin }: KubeConfigFiles,
  selection: Parameters<typeof selectContext>[1],
): KubeConfig {
  const config = mergeKubeConfigs(files);
  if (!config.hasExistingFile && origin === 'flag')
    throw createKubeConfigError(config.source, 'no such file; correct --kubeconfig');
  const hasDefaultServer = (selection.defaultServer ?? LOCAL_SERVER_URL) !== LOCAL_SERVER_URL;
  if (config.hasExistingFile || selection.fallback || hasDefaultServer) return selectContext(config, selection);
  throw origin === 'home'
    ? new ConfigurationError(`no kubeconfig found: use --kubeconfig, set KUBECONFIG, or create ${config.source}`)
    : createKubeConfigError(config.source, 'no such file; correct KUBECONFIG, or use --kubeconfig');
}

function isInCluster({ variables, serviceAccountFolder }: ProcessEnvironment): boolean {
  if (!variables['KUBERNETES_SERVICE_HOST'] || !variables['KUBERNETES_SERVICE_PORT']) return false;
  return isReadable(join(serviceAccountFolder, 'token'));
}

function loadInClusterConfig({ variables, serviceAccountFolder }: ProcessEnvironment): KubeConfig {
  const source = 'of the service account';
  const [host = '', port] = [variables['KUBERNETES_SERVICE_HOST'], variables['KUBERNETES_SERVICE_PORT']];
  const server = URL.parse(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (server === null) {
    throw createKubeConfigError(
      source,
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a valid address; use --kubeconfig',
    );
  }
  const caFile = join(serviceAccountFolder, 'ca.crt');
  return {
    source,
    cluster: {
      server,
      skipTlsVerify: false,
      disableCompression: false,
      caFile: isReadable(caFile) ? caFile : undefined,
    },
    user: { name: 'service account', tokenFile: join(serviceAccountFolder, 'token') },
  };
}

function readPodNamespace({ variables, serviceAccountFolder }: ProcessEnvironment): string | undefined {
  if (variables['POD_NAMESPACE']) return variables['POD_NAMESPACE'];
  try {
    return readFileSync(join(serviceAccountFolder, 'namespace'), 'utf8').trim() || undefined;
  } catch {
    return undefined; // kubectl uses the namespace default in this case
  }
}
