import { setupWebhooksWithManager } from '../controllers/cronjob-webhook.ts';
import { WebhookCertificates } from '../runtime/certificates/webhook-certificates.ts';
import type { Transport } from '../runtime/client/transport.ts';
import { ConfigurationError } from '../runtime/configuration-error.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import { ClientCaFile } from '../runtime/tls/client-ca-file.ts';
import type { ClientCaSource, KeyPairSource } from '../runtime/tls/key-pair.ts';
import { KeyPairFiles } from '../runtime/tls/key-pair-files.ts';
import { WebhookServer } from '../runtime/webhook/webhook-server.ts';
import { ENABLE_WEBHOOKS, type ManagerFlags } from './flag-table.ts';
import { podNamespace } from './pod-namespace.ts';

const SWITCHED_OFF = `the environment has ${ENABLE_WEBHOOKS}=false`;
const NO_CERTIFICATE =
  'to turn them on, give --webhook-cert-path a folder with tls.crt and tls.key, or --webhook-cert-secret a name';
const NO_NAMESPACE = 'certificates for webhooks need a namespace outside a cluster: give --webhook-namespace';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface WebhookParts {
  readonly manager: Pick<Manager, 'client' | 'clock' | 'log' | 'metrics' | 'readyz' | 'addServer'>;
  /** For watches of what belongs to the certificates. */
  readonly transport: Transport;
}

type WebhookFlags = Pick<
  ManagerFlags,
  | 'webhookPort'
  | 'webhookShutdownDelayMs'
  | 'webhookCertPath'
  | 'webhookClientCaFile'
  | 'webhookCertSecret'
  | 'webhookNamespace'
  | 'webhookService'
  | 'webhookCertDurationMs'
  | 'mutatingWebhookConfiguration'
  | 'validatingWebhookConfiguration'
>;

/**
 * Serves the webhooks when the flags name a certificate and the environment does not switch them off. Throws when the
 * certificate is the manager's own and no namespace is given or known.
 */
export function addWebhooks(parts: WebhookParts, flags: WebhookFlags, environment: Environment): void {
  const { client, clock, log, metrics, readyz } = parts.manager;
  const { webhookCertPath: folder, webhookCertSecret: secret } = flags;
  const isSwitchedOff = environment[ENABLE_WEBHOOKS] === 'false';
  if (isSwitchedOff || (folder === undefined && secret === undefined)) {
    log.info('webhooks are off', { reason: isSwitchedOff ? SWITCHED_OFF : NO_CERTIFICATE });
    return;
  }
  const serve = (keyPair: KeyPairSource): WebhookServer => {
    const { webhookPort: port, webhookShutdownDelayMs: shutdownDelayMs, webhookClientCaFile: path } = flags;
    const clientCa = path === undefined ? undefined : clientCaOf(new ClientCaFile({ path, clock, log }), path);
    const address = { kind: 'listen', port } as const;
    const server = new WebhookServer({ address, keyPair, clientCa, clock, log, metrics, shutdownDelayMs });
    setupWebhooksWithManager(server, { client, clock });
    readyz.add('webhook', server.check);
    return server;
  };
  if (secret !== undefined) addOwnCertificates(parts, certificatesOf(parts, flags, secret), serve);
  else if (folder !== undefined)
    parts.manager.addServer(serve(certificate(new KeyPairFiles({ folder, clock, log }), folder)));
}

function certificatesOf(
  { manager, transport }: WebhookParts,
  flags: WebhookFlags,
  secret: string,
): WebhookCertificates {
  const { client, clock, log } = manager;
  const { mutatingWebhookConfiguration: mutating, validatingWebhookConfiguration: validating } = flags;
  const namespace = flags.webhookNamespace ?? podNamespace(NO_NAMESPACE);
  return new WebhookCertificates({
    client,
    transport,
    clock,
    log,
    secret: { namespace, name: secret },
    service: { namespace, name: flags.webhookService },
    validForMs: flags.webhookCertDurationMs,
    configurations: [
      ...(mutating === undefined ? [] : [{ kind: 'MutatingWebhookConfiguration', name: mutating } as const]),
      ...(validating === undefined ? [] : [{ kind: 'ValidatingWebhookConfiguration', name: validating } as const]),
    ],
  });
}

/** The server waits for its certificate, which may take until somebody grants the rights; nothing else waits for it. */
function addOwnCertificates(
  { manager }: WebhookParts,
  certificates: WebhookCertificates,
  serve: (keyPair: KeyPairSource) => WebhookServer,
): void {
  manager.readyz.add('webhook-certificate', certificates.check);
  const server = serve(certificates);
  manager.addServer(certificates);
  manager.addServer({
    start: async (signal) => {
      if (await certificates.waitForCertificate(signal)) await server.start(signal);
    },
  });
}

/** The same, with an error that says what to do when there is none. */
function certificate(files: KeyPairFiles, folder: string): KeyPairSource {
  return {
    watch: (signal, onChange) => files.watch(signal, onChange),
    load: async () => {
      try {
        return await files.load();
      } catch (cause) {
        const fix = `put tls.crt and tls.key into ${folder}, or turn webhooks off with ${ENABLE_WEBHOOKS}=false`;
        throw new ConfigurationError(`webhooks need a certificate: ${fix}`, { cause });
      }
    },
  };
}

/** The same for the CA of clients. */
function clientCaOf(file: ClientCaFile, path: string): ClientCaSource {
  return {
    watch: (signal, onChange) => file.watch(signal, onChange),
    load: async () => {
      try {
        return await file.load();
      } catch (cause) {
        const fix = `put the CA of the API server's client certificate into ${path}, or leave --webhook-client-ca-file out`;
        throw new Error(`webhooks cannot tell the API server from others: ${fix}`, { cause });
      }
    },
  };
}
