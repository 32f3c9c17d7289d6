import { WebhookCertificates } from '../certificates/webhook-certificates.ts';
import { LiveClient } from '../client/live-client.ts';
import type { Transport } from '../client/transport.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Kind } from '../schema/kind.ts';
import { ClientCaFile } from '../tls/client-ca-file.ts';
import type { KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { KeyPairFiles } from '../tls/key-pair-files.ts';
import type { WebhookRegistrar } from '../webhook/admission.ts';
import { type ConvertingRegistrar, WebhookRegistry } from '../webhook/webhook-registry.ts';
import { WebhookServer } from '../webhook/webhook-server.ts';
import type { Manager } from './manager.ts';
import type { ManagedCertificateOptions, ManagerOptions, WebhookOptions } from './manager-options.ts';
import { readPodNamespace } from './pod-namespace.ts';
import type { Runnable } from './runnable-group.ts';
import { getConfigurationRefs, getConversionRefs, toWebhookNames } from './webhook-names.ts';

export const DEFAULT_WEBHOOK_PORT = 9443;
export const DEFAULT_SHUTDOWN_DELAY_MS = 5_000;
/** Environment variable that disables webhooks if its value is `false`. */
export const ENABLE_WEBHOOKS_VARIABLE = 'ENABLE_WEBHOOKS';
const DISABLED_BY_ENVIRONMENT_REASON = `the environment variable ${ENABLE_WEBHOOKS_VARIABLE} is false`;
const DISABLED_BY_DEFAULT_REASON = 'to enable webhooks, set the option `webhooks` of the manager';
const MISSING_NAMESPACE_MESSAGE =
  'webhook certificates outside a cluster need a namespace: set --webhook-namespace, or the option `namespace`';

export type WebhookEnvironment = Readonly<Record<string, string | undefined>>;

type WebhookHost = Pick<Manager, 'clock' | 'log' | 'metrics' | 'readyz' | 'addServer'>;

interface WebhookDependencies {
  readonly manager: WebhookHost;
  /** Transport for requests that read, write or watch the Secret and the webhook configurations. */
  readonly transport: Transport;
}

/**
 * Adds a webhook server to the manager if the options enable webhooks. Even if webhooks are disabled, returns a
 * {@link WebhookRegistrar}.
 */
export function addWebhooks(
  dependencies: WebhookDependencies,
  { name, webhooks }: Pick<ManagerOptions, 'name' | 'webhooks'>,
  environment: WebhookEnvironment = process.env,
): ConvertingRegistrar {
  const { log } = dependencies.manager;
  if (environment[ENABLE_WEBHOOKS_VARIABLE] === 'false')
    return createDisabledRegistrar(() => log.info('webhooks are off', { reason: DISABLED_BY_ENVIRONMENT_REASON }));
  if (webhooks === undefined)
    return createDisabledRegistrar(() => log.info('webhooks are off', { reason: DISABLED_BY_DEFAULT_REASON }));
  if ('off' in webhooks) return createDisabledRegistrar(() => log.info('webhooks are off', { reason: webhooks.off }));
  const { certificates } = webhooks;
  if (typeof certificates === 'object' && 'folder' in certificates) {
    return addServerWithCertificateFiles(dependencies.manager, webhooks, certificates.folder);
  }
  // The manager creates its certificates at the start, when all kinds are registered.
  const listKinds = () => server.convertedKinds;
  const certificateOptions = certificates === 'own' ? {} : certificates;
  const ownCertificates = createManagedCertificates(dependencies, name, certificateOptions, listKinds);
  const server = addServerWithManagedCertificates(dependencies.manager, webhooks, ownCertificates);
  return server;
}

/**
 * Creates a registrar that validates registrations but does not serve webhooks.
 * @param onFirstRegistration Called at the first registration.
 */
function createDisabledRegistrar(onFirstRegistration: () => void): WebhookRegistrar {
  const registry = new WebhookRegistry();
  const reportFirst = () => {
    if (registry.webhooks.length + registry.convertedKinds.length === 0) onFirstRegistration();
  };
  return {
    for: (resource, webhooks) => {
      reportFirst();
      return registry.for(resource, webhooks);
    },
    convert: (kind) => {
      reportFirst();
      registry.convert(kind);
    },
  };
}

function addServerWithCertificateFiles(manager: WebhookHost, options: WebhookOptions, folder: string): WebhookServer {
  const { clock, log } = manager;
  const keyPair = withLoadError(new KeyPairFiles({ folder, clock, log }), (cause) => {
    const instruction = `put tls.crt and tls.key into ${folder}, or turn webhooks off with ${ENABLE_WEBHOOKS_VARIABLE}=false`;
    return new ConfigurationError(`webhooks need a certificate: ${instruction}`, { cause });
  });
  const server = createServer(manager, options, keyPair);
  manager.addServer(server);
  return server;
}

/**
 * Adds a webhook server that starts after the manager has a certificate. The other parts of the manager start without
 * the certificate, because the manager may not yet have permission to store a certificate.
 */
function addServerWithManagedCertificates(
  manager: WebhookHost,
  options: WebhookOptions,
  ownCertificates: DeferredCertificates,
): WebhookServer {
  manager.readyz.add('webhook-certificate', ownCertificates.check);
  const server = createServer(manager, options, ownCertificates);
  manager.addServer(ownCertificates);
  manager.addServer({
    start: async (signal) => {
      if (await ownCertificates.waitForCertificate(signal)) await server.start(signal);
    },
  });
  return server;
}

function createServer(manager: WebhookHost, options: WebhookOptions, keyPair: KeyPairSource): WebhookServer {
  const { clock, log, metrics, readyz } = manager;
  const { port = DEFAULT_WEBHOOK_PORT, shutdownDelayMs = DEFAULT_SHUTDOWN_DELAY_MS, clientCaFile: path } = options;
  const toLoadError = (cause: unknown) => {
    const instruction = `put the CA of the API server's client certificate into ${path}, or remove --webhook-client-ca-file`;
    return new Error(`cannot load the CA that verifies the API server's webhook calls: ${instruction}`, { cause });
  };
  const clientCa = path === undefined ? undefined : withLoadError(new ClientCaFile({ path, clock, log }), toLoadError);
  const address = { kind: 'listen', port } as const;
  const server = new WebhookServer({ address, keyPair, clientCa, clock, log, metrics, shutdownDelayMs });
  readyz.add('webhook', server.check);
  return server;
}

function createManagedCertificates(
  { manager, transport }: WebhookDependencies,
  name: string,
  options: ManagedCertificateOptions,
  listConvertedKinds: () => readonly Kind[],
) {
  const { clock, log } = manager;
  // The cache of the manager may contain only the objects that the controllers select, so the certificates are read from the API server.
  const client = new LiveClient(transport, { fieldManager: name });
  const { validForMs } = options;
  const objectNames = toWebhookNames(name, options);
  return new DeferredCertificates(() => {
    const namespace = options.namespace ?? readPodNamespace(MISSING_NAMESPACE_MESSAGE);
    return new WebhookCertificates({
      client,
      transport,
      clock,
      log,
      secret: { namespace, name: objectNames.secret },
      service: { namespace, name: objectNames.service, urlHosts: options.urlHosts ?? [] },
      configurations: [...getConfigurationRefs(objectNames), ...getConversionRefs(listConvertedKinds())],
      ...(validForMs !== undefined && { validForMs }),
    });
  });
}

/** Creates the certificates when the manager starts, because the namespace may be unknown before the start. */
class DeferredCertificates implements Runnable, KeyPairSource {
  readonly #createCertificates: () => WebhookCertificates;
  #certificates: WebhookCertificates | undefined;

  constructor(create: () => WebhookCertificates) {
    this.#createCertificates = create;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#certificates = this.#createCertificates();
    await this.#certificates.start(signal);
  }

  /** Must be called after {@link start}. */
  async waitForCertificate(signal: AbortSignal): Promise<boolean> {
    return (await this.#certificates?.waitForCertificate(signal)) ?? false;
  }

  async load(): Promise<KeyPair> {
    if (this.#certificates === undefined)
      throw new Error('the manager has not started, so there is no webhook certificate yet');
    return await this.#certificates.load();
  }

  async watch(signal: AbortSignal, onChange: (keyPair: KeyPair) => void): Promise<void> {
    await this.#certificates?.watch(signal, onChange);
  }

  readonly check = (): string | undefined =>
    this.#certificates === undefined ? 'the manager has not started yet' : this.#certificates.check();
}

interface FileSource<V> {
  load(): Promise<V>;
  watch(signal: AbortSignal, onChange: (value: V) => void): Promise<void>;
}

/** Returns a source that replaces each error of `load` with a more helpful error. */
function withLoadError<V>(source: FileSource<V>, toLoadError: (cause: unknown) => Error): FileSource<V> {
  return {
    watch: (signal, onChange) => source.watch(signal, onChange),
    load: () =>
      source.load().catch((cause: unknown) => {
        throw toLoadError(cause);
      }),
  };
}
