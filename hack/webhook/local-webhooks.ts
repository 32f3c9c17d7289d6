/** The webhooks of a manager on this machine: no Service leads to it, and no cert-manager makes its certificate. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSelfSigned } from 'controller-runtime';
import { manifestYaml, servedLocally, webhookConfigurations } from 'controller-runtime/manifests';
import { freePort } from '../control-plane/free-port.ts';
import { CRON_JOB_WEBHOOKS } from './cronjob-webhooks.ts';

export interface LocalWebhooks {
  /** Where the manager is to listen. */
  readonly port: number;
  /** With tls.crt and tls.key for the manager. */
  readonly certFolder: string;
  /** File with the configurations, to be applied once the manager listens: until then they would refuse every CronJob. */
  readonly manifest: string;
}

/** Makes a certificate for 127.0.0.1 and configurations that trust it, in `folder`. */
export async function prepareWebhooks(folder: string): Promise<LocalWebhooks> {
  const certFolder = join(folder, 'webhook-certificate');
  const manifest = join(folder, 'webhooks.yaml');
  const port = await freePort();
  const { cert, key } = await createSelfSigned(['127.0.0.1'], new Date());
  await mkdir(certFolder, { recursive: true });
  await writeFile(join(certFolder, 'tls.crt'), cert);
  await writeFile(join(certFolder, 'tls.key'), key, { mode: 0o600 });
  const configurations = webhookConfigurations(CRON_JOB_WEBHOOKS);
  await writeFile(manifest, manifestYaml(configurations.map((each) => servedLocally(each, { port, caBundle: cert }))));
  return { port, certFolder, manifest };
}
