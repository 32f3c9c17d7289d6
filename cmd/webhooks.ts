import { setupWebhooksWithManager } from '../controllers/cronjob-webhook.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import type { KeyPairSource } from '../runtime/tls/key-pair.ts';
import { KeyPairFiles } from '../runtime/tls/key-pair-files.ts';
import { WebhookServer } from '../runtime/webhook/webhook-server.ts';
import { ENABLE_WEBHOOKS, type ManagerFlags } from './flags.ts';

const SWITCHED_OFF = `the environment has ${ENABLE_WEBHOOKS}=false`;
const NO_CERTIFICATE = 'to turn them on, give --webhook-cert-path a folder with tls.crt and tls.key';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Serves the webhooks when the flags name a certificate and the environment does not switch them off. */
export function addWebhooks(
  manager: Pick<Manager, 'client' | 'clock' | 'log' | 'metrics' | 'readyz' | 'addServer'>,
  { webhookPort: port, webhookCertPath: folder }: Pick<ManagerFlags, 'webhookPort' | 'webhookCertPath'>,
  environment: Environment,
): void {
  const { client, clock, log, metrics } = manager;
  const isSwitchedOff = environment[ENABLE_WEBHOOKS] === 'false';
  if (isSwitchedOff || folder === undefined) {
    log.info('webhooks are off', { reason: isSwitchedOff ? SWITCHED_OFF : NO_CERTIFICATE });
    return;
  }
  const keyPair = certificate(new KeyPairFiles({ folder, clock, log }), folder);
  const server = new WebhookServer({ address: { kind: 'listen', port }, keyPair, clock, log, metrics });
  setupWebhooksWithManager(server, { client, clock });
  manager.addServer(server);
  manager.readyz.add('webhook', server.check);
}

/** The same, with an error that says what to do when there is none. */
function certificate(files: KeyPairFiles, folder: string): KeyPairSource {
  return {
    watch: (signal, onChange) => files.watch(signal, onChange),
    load: async () => {
      try {
        return await files.load();
      } catch (cause) {
        const mend = `put tls.crt and tls.key into ${folder}, or turn webhooks off with ${ENABLE_WEBHOOKS}=false`;
        throw new Error(`webhooks need a certificate: ${mend}`, { cause });
      }
    },
  };
}
