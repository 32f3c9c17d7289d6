/** Serves a manager's webhooks, with certificates from files or its own. */
import { WebhookCertificates } from '../certificates/webhook-certificates.ts';
import type { Transport } from '../client/transport.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { ClientCaFile } from '../tls/client-ca-file.ts';
import type { KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { KeyPairFiles } from '../tls/key-pair-files.ts';
import type { WebhookRegistrar } from '../webhook/admission.ts';
import { WebhookRegistry } from '../webhook/registration.ts';
import { WebhookServer } from '../webhook/webhook-server.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions, OwnCertificateOptions, WebhookOptions } from './manager-options.ts';
import { podNamespace } from './pod-namespace.ts';
import type { Runnable } from './runnable-group.ts';
import { configurationRefs, webhookNames } from './webhook-names.ts';

/** Default port of the webhook server. */
export const DEFAULT_WEBHOOK_PORT = 9443;
export const DEFAULT_SHUTDOWN_DELAY_MS = 5_000;
/** Environment variable that turns webhooks off when it is `false`; with any other value the options decide. */
export const ENABLE_WEBHOOKS = 'ENABLE_WEBHOOKS';
const OFF_BY_ENVIRONMENT = `the environment variable ${ENABLE_WEBHOOKS} is false`;
const OFF_BY_DEFAULT = 'to turn them on, set the option `webhooks` of the manager';
const NO_NAMESPACE =
  'webhook certificates outside a cluster need a namespace: set --webhook-namespace, or the option `namespace`';

export type WebhookEnvironment = Readonly<Record<string, string | undefined>>;

/** The part of a manager that webhooks use. */
type WebhookHost = Pick<Manager, 'client' | 'clock' | 'log' | 'metrics' | 'readyz' | 'addServer'>;

interface WebhookParts {
  readonly manager: WebhookHost;
  /** Transport for the watches of the certificates. */
  readonly transport: Transport;
}

/** Adds a webhook server if the options require one. Returns the registrar, whether webhooks are on or off. */
export function addWebhooks(
  parts: WebhookParts,
  { name, webhooks }: Pick<ManagerOptions, 'name' | 'webhooks'>,
  environment: WebhookEnvironment = process.env,
): WebhookRegistrar {
  const { log } = parts.manager;
  if (environment[ENABLE_WEBHOOKS] === 'false')
    return createUnservedRegistrar(() => log.info('webhooks are off', { reason: OFF_BY_ENVIRONMENT }));
  if (webhooks === undefined)
    return createUnservedRegistrar(() => log.info('webhooks are off', { reason: OFF_BY_DEFAULT }));
  if ('off' in webhooks) return createUnservedRegistrar(() => log.info('webhooks are off', { reason: webhooks.off }));
  const { certificates } = webhooks;
  if (typeof certificates === 'object' && 'folder' in certificates) {
    return addServerWithFiles(parts.manager, webhooks, certificates.folder);
  }
  const own = createOwnCertificates(parts, name, certificates === 'own' ? {} : certificates);
  return addServerWithOwnCertificates(parts.manager, webhooks, own);
}

/**
 * Accepts registrations but serves no webhooks.
 * @param onFirstRegistration Called at the first registration that is not served.
 */
function createUnservedRegistrar(onFirstRegistration: () => void): WebhookRegistrar {
  const registry = new WebhookRegistry();
  return {
    for: (resource, webhooks) => {
      if (registry.webhooks.length === 0) onFirstRegistration();
      return registry.for(resource, webhooks);
    },
  };
}

function addServerWithFiles(manager: WebhookHost, options: WebhookOptions, folder: string): WebhookServer {
  const { clock, log } = manager;
  const keyPair = withErrorHint(new KeyPairFiles({ folder, clock, log }), (cause) => {
    const fix = `put tls.crt and tls.key into ${folder}, or turn webhooks off with ${ENABLE_WEBHOOKS}=false`;
    return new ConfigurationError(`webhooks need a certificate: ${fix}`, { cause });
  });
  const server = createServer(manager, options, keyPair);
  manager.addServer(server);
  return server;
}

/** The server waits for its certificate, which may take until a user grants the rights; nothing else waits for it. */
function addServerWithOwnCertificates(
  manager: WebhookHost,
  options: WebhookOptions,
  own: DeferredCertificates,
): WebhookServer {
  manager.readyz.add('webhook-certificate', own.check);
  const server = createServer(manager, options, own);
  manager.addServer(own);
  manager.addServer({
    start: async (signal) => {
      if (await own.waitForCertificate(signal)) await server.start(signal);
    },
  });
  return server;
}

function createServer(manager: WebhookHost, options: WebhookOptions, keyPair: KeyPairSource): WebhookServer {
  const { clock, log, metrics, readyz } = manager;
  const { port = DEFAULT_WEBHOOK_PORT, shutdownDelayMs = DEFAULT_SHUTDOWN_DELAY_MS, clientCaFile: path } = options;
  const toError = (cause: unknown) => {
    const fix = `put the CA of the API server's client certificate into ${path}, or remove --webhook-client-ca-file`;
    return new Error(`cannot load the CA that verifies the API server's webhook calls: ${fix}`, { cause });
  };
  const clientCa = path === undefined ? undefined : withErrorHint(new ClientCaFile({ path, clock, log }), toError);
  const address = { kind: 'listen', port } as const;
  const server = new WebhookServer({ address, keyPair, clientCa, clock, log, metrics, shutdownDelayMs });
  readyz.add('webhook', server.check);
  return server;
}

function createOwnCertificates({ manager, transport }: WebhookParts, name: string, options: OwnCertificateOptions) {
  const { client, clock, log } = manager;
  const { validForMs } = options;
  const names = webhookNames(name, options);
  return new DeferredCertificates(() => {
    const namespace = options.namespace ?? podNamespace(NO_NAMESPACE);
    return new WebhookCertificates({
      client,
      transport,
      clock,
      log,
      secret: { namespace, name: names.secret },
      service: { namespace, name: names.service, urlHosts: options.urlHosts ?? [] },
      configurations: configurationRefs(names),
      ...(validForMs !== undefined && { validForMs }),
    });
  });
}

/** Creates the certificates when the manager starts: only then does it look up its namespace, which may fail. */
class DeferredCertificates implements Runnable, KeyPairSource {
  readonly #create: () => WebhookCertificates;
  #certificates: WebhookCertificates | undefined;

  constructor(create: () => WebhookCertificates) {
    this.#create = create;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#certificates = this.#create();
    await this.#certificates.start(signal);
  }

  /** Call it after {@link start}. */
  async waitForCertificate(signal: AbortSignal): Promise<boolean> {
    return (await this.#certificates?.waitForCertificate(signal)) ?? false;
  }

  async load(): Promise<KeyPair> {
    if (this.#certificates === undefined)
      throw new Error('the manager has not started, so there is no webhook certificate yet');
    return await this.#certificates.load();
  }

  async watch(signal: AbortSignal, onChange: (pair: KeyPair) => void): Promise<void> {
    await this.#certificates?.watch(signal, onChange);
  }

  readonly check = (): string | undefined =>
    this.#certificates === undefined ? 'the manager has not started yet' : this.#certificates.check();
}

interface LoadableSource<V> {
  load(): Promise<V>;
  watch(signal: AbortSignal, onChange: (value: V) => void): Promise<void>;
}

/** The same source, with advice in the error when there is nothing to load. */
function withErrorHint<V>(source: LoadableSource<V>, toError: (cause: unknown) => Error): LoadableSource<V> {
  return {
    watch: (signal, onChange) => source.watch(signal, onChange),
    load: () =>
      source.load().catch((cause: unknown) => {
        throw toError(cause);
      }),
  };
}
