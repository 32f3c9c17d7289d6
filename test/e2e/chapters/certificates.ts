import { X509Certificate } from 'node:crypto';
import { core } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { DEPLOYMENT, NAMESPACE, PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest } from './cron-jobs.ts';
import { keepAsking } from './keep-asking.ts';

const IN_SYSTEM = `--namespace=${NAMESPACE}`;
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

  async function stored(): Promise<{ readonly cert: string; readonly trusted: string }> {
    const secret = await operator().client.get(core.v1.secrets, { namespace: NAMESPACE, name: SECRET });
    return { cert: decode(secret?.data?.['tls.crt']), trusted: decode(secret?.data?.['ca.crt']) };
  }

  /** The CA bundle that the API server trusts, by configuration. */
  async function trusted(): Promise<readonly string[]> {
    const configurations = await operator().get(...CONFIGURATIONS);
    return configurations.map(({ webhooks: [webhook] }) => decode(webhook.clientConfig.caBundle));
  }

  async function isTrusted(bundle: string): Promise<void> {
    expect(bundle).toMatch(/^-----BEGIN CERTIFICATE/);
    await eventually(async () => expect(await trusted()).toEqual([bundle, bundle]), PATIENCE);
  }

  async function shownBy(pod: string): Promise<string> {
    return await operator().kubectl('exec', pod, IN_SYSTEM, '--', '/nodejs/bin/node', '-e', SHOW);
  }

  describe('the certificate of the webhooks', () => {
    test('is renewed when somebody deletes it, and no call fails meanwhile', async () => {
      await operator().restartWith(`--webhook-cert-duration=${DURATION}`);
      const old = await stored();
      await isTrusted(old.trusted);
      const before = await operator().restarts();

      await using asking = keepAsking(cronJobManifest('asked', {}));
      await operator().kubectl('delete', 'secret', SECRET, IN_SYSTEM);
      const renewed = await eventually(async () => {
        const { cert, trusted: authorities } = await stored();
        expect(cert).not.toBe(old.cert);
        expect(authorities.split('-----BEGIN')).toHaveLength(2);
        return { cert, authority: authorities };
      }, PATIENCE);
      await isTrusted(renewed.authority);
      const asked = await asking.stop();

      expect(asked.failures).toEqual([]);
      expect(asked.answered).toBeGreaterThan(0);
      expect(old.trusted).not.toContain(renewed.authority);
      const certificate = new X509Certificate(renewed.cert);
      expect(certificate.verify(new X509Certificate(renewed.authority).publicKey)).toBe(true);
      expect(certificate.validToDate.getTime() - Date.now()).toBeLessThan(DURATION_MS);
      expect(await operator().restarts()).toEqual(before);
      expect(new Set(Object.values(before))).toEqual(new Set([0]));
      await operator().isReady();
    });

    if (inject('site').name !== 'kwok') {
      test('is the new one in both replicas', async () => {
        const { cert } = await stored();
        for (const { metadata } of await operator().pods()) expect(await shownBy(metadata.name)).toBe(cert);
      });
    }

    test('lives as long as usual when the flag is gone', async () => {
      await operator().apply(await operator().site.manifests(inject('site').image));
      await operator().isReady();
      const [deployment] = await operator().get(DEPLOYMENT, IN_SYSTEM);
      expect(deployment?.['spec'].template.spec.containers[0].args.join(' ')).not.toContain('duration');
    });
  });
};
