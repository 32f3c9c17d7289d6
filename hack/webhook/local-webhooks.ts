/** The webhooks of a manager on this machine, without a Service and without cert-manager. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSelfSignedKeyPair } from 'controller-runtime';
import { manifestYaml, webhookConfigurations, withLocalWebhookUrl } from 'controller-runtime/manifests';
import { findFreePort } from '../control-plane/free-port.ts';
import { CRON_JOB_WEBHOOKS } from './cronjob-webhooks.ts';

export interface LocalWebhooks {
  /** Address that the manager listens on. */
  readonly port: number;
  /** Folder with tls.crt and tls.key for the manager. */
  readonly certFolder: string;
  /** File with the configurations. Apply it after the manager listens: before that, the webhooks would refuse every CronJob. */
  readonly manifest: string;
}

/** Creates a certificate for 127.0.0.1 and configurations that trust it, in `folder`. */
export async function prepareLocalWebhooks(folder: string): Promise<LocalWebhooks> {
  const certFolder = join(folder, 'webhook-certificate');
  const manifest = join(folder, 'webhooks.yaml');
  const port = await findFreePort();
  const { cert, key } = await createSelfSignedKeyPair(['127.0.0.1'], new Date());
  await mkdir(certFolder, { recursive: true });
  await writeFile(join(certFolder, 'tls.crt'), cert);
  await writeFile(join(certFolder, 'tls.key'), key, { mode: 0o600 });
  const configurations = webhookConfigurations(CRON_JOB_WEBHOOKS);
  await writeFile(
    manifest,
    manifestYaml(configurations.map((each) => withLocalWebhookUrl(each, { port, caBundle: cert }))),
  );
  return { port, certFolder, manifest };
}
