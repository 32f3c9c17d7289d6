/** Prepares webhooks for a manager on this machine, without a Service and without cert-manager. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSelfSignedKeyPair } from 'controller-runtime/internal';
import { manifestYaml, webhookConfigurations, withLocalWebhookUrl } from 'controller-runtime/manifests';
import { findFreePort } from 'controller-runtime/testing';
import { CRON_JOB_WEBHOOKS } from './cronjob-webhooks.ts';

export interface LocalWebhooks {
  /** Port of the webhook server on 127.0.0.1. */
  readonly port: number;
  /** Folder with tls.crt and tls.key for the manager. */
  readonly certFolder: string;
  /**
   * File with the webhook configurations. Apply the file after the manager listens, because the API server rejects CronJobs while their
   * webhooks are unavailable.
   */
  readonly manifest: string;
}

/** Writes a certificate for 127.0.0.1, and webhook configurations that trust the certificate, to `folder`. */
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
