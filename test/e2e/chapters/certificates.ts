import { X509Certificate } from 'node:crypto';
import { core } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { DEPLOYMENT, NAMESPACE, PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { createContinuously } from './continuous-creates.ts';
import { cronJobManifest } from './cron-jobs.ts';

const SYSTEM_NAMESPACE_FLAG = `--namespace=${NAMESPACE}`;
const SECRET = 'webhook-server-cert';
const CONFIGURATIONS = [
  'mutatingwebhookconfiguration/cronjob-operator-mutating-webhook-configuration',
  'validatingwebhookconfiguration/cronjob-operator-validating-webhook-configuration',
] as const;
/** With this lifetime, the steps of a renewal are ten seconds apart instead of ten minutes. */
const DURATION = '5m';
const DURATION_MS = 5 * 60_000;

/** Prints the certificate that the webhook server in the same Pod shows to a new connection. */
const SHOW = `
  const socket = require('node:tls').connect({ port: 9443, rejectUnauthorized: false }, () => {
    process.stdout.write(socket.getPeerX509Certificate().toString());
    socket.destroy();
  });`;

/** The manager's own certificate for the webhooks. */
export const certificates: Chapter = (operator) => {
  const decode = (text = '') => Buffer.from(text, 'base64').toString();

  async function readSecret(): Promise<{ readonly cert: string; readonly ca: string }> {
    const secret = await operator().client.get(core.v1.secrets, { namespace: NAMESPACE, name: SECRET });
    return { cert: decode(secret?.data?.['tls.crt']), ca: decode(secret?.data?.['ca.crt']) };
  }

  /** The CA bundle that the API server trusts, by configuration. */
  async function readTrustedBundles(): Promise<readonly string[]> {
    const configurations = await operator().get(...CONFIGURATIONS);
    return configurations.map(({ webhooks: [webhook] }) => decode(webhook.clientConfig.caBundle));
  }

  async function waitUntilTrusted(bundle: string): Promise<void> {
    expect(bundle).toMatch(/^-----BEGIN CERTIFICATE/);
    await eventually(async () => expect(await readTrustedBundles()).toEqual([bundle, bundle]), PATIENCE);
  }

  async function getServedCertificate(pod: string): Promise<string> {
    return await operator().kubectl('exec', pod, SYSTEM_NAMESPACE_FLAG, '--', '/nodejs/bin/node', '-e', SHOW);
  }

  describe('the certificate of the webhooks', () => {
    test('is renewed after its Secret is deleted, without a failed call', async () => {
      await operator().restartWith(`--webhook-cert-duration=${DURATION}`);
      const old = await readSecret();
      await waitUntilTrusted(old.ca);
      const before = await operator().countRestarts();

      await using creates = createContinuously(cronJobManifest('asked', {}));
      await operator().kubectl('delete', 'secret', SECRET, SYSTEM_NAMESPACE_FLAG);
      const renewed = await eventually(async () => {
        const { cert, ca: authorities } = await readSecret();
        expect(cert).not.toBe(old.cert);
        expect(authorities.split('-----BEGIN')).toHaveLength(2);
        return { cert, authority: authorities };
      }, PATIENCE);
      await waitUntilTrusted(renewed.authority);
      const result = await creates.stop();

      expect(result.failures).toEqual([]);
      expect(result.answered).toBeGreaterThan(0);
      expect(old.ca).not.toContain(renewed.authority);
      const certificate = new X509Certificate(renewed.cert);
      expect(certificate.verify(new X509Certificate(renewed.authority).publicKey)).toBe(true);
      expect(certificate.validToDate.getTime() - Date.now()).toBeLessThan(DURATION_MS);
      expect(await operator().countRestarts()).toEqual(before);
      expect(new Set(Object.values(before))).toEqual(new Set([0]));
      await operator().waitUntilReady();
    });

    if (inject('site').name !== 'kwok') {
      test('both replicas serve the new certificate', async () => {
        const { cert } = await readSecret();
        for (const { metadata } of await operator().pods())
          expect(await getServedCertificate(metadata.name)).toBe(cert);
      });
    }

    test('has its usual duration after the flag is removed', async () => {
      await operator().apply(await operator().site.manifests(inject('site').image));
      await operator().waitUntilReady();
      const [deployment] = await operator().get(DEPLOYMENT, SYSTEM_NAMESPACE_FLAG);
      expect(deployment?.['spec'].template.spec.containers[0].args.join(' ')).not.toContain('duration');
    });
  });
};
