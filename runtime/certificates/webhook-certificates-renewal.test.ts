import { describe, expect, test } from 'vitest';
import { core } from '../kubernetes/core.ts';
import {
  countCertificates,
  decode,
  FAILURE_MESSAGE,
  MUTATING,
  SECRET,
  VALIDATING,
  WebhookCertificatesHarness,
} from '../test-support/webhook-certificates-harness.ts';
import type { KeyPair } from '../tls/key-pair.ts';

describe('a renewal', () => {
  test('trusts a new certificate before servers present it, and the old one until no server presents it', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    const replicas = [await scene.readyReplica(), await scene.readyReplica()];
    const old = scene.secret;
    await scene.untilRenewal();
    await scene.until(() => scene.expectTrust());
    expect(scene.secret).toMatchObject({ 'tls.crt': old['tls.crt'], 'next-tls.crt': expect.any(String) });
    expect(countCertificates(scene.secret['ca.crt'])).toBe(2);
    const next = scene.secret['next-tls.crt'];
    await scene.until(() => expect(scene.steps()).toEqual(['create', 'prepare', 'switch']), 10_000);
    for (const replica of replicas) await scene.until(async () => expect((await replica.load()).cert).toBe(next));
    expect(countCertificates(scene.secret['ca.crt'])).toBe(2);
    expect(scene.secret['next-tls.crt']).toBeUndefined();
    await scene.until(() => expect(scene.steps()).toEqual(['create', 'prepare', 'switch', 'retire']), 10_000);
    await scene.until(() => scene.expectTrust());
    expect(countCertificates(scene.secret['ca.crt'])).toBe(1);
    expect(scene.secret['ca.crt']).not.toBe(old['ca.crt']);
    expect(scene.log.errors).toEqual([]);
  });

  test('restarts the wait when a configuration has lost its caBundle', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    await scene.untilRenewal();
    await scene.until(() => scene.expectTrust());
    const sent = scene.server.count({ verb: 'patch' });
    await scene.clock.advance(9 * 60_000);
    await scene.server.watchOpened(3);
    scene.configure(MUTATING);
    await scene.until(() => scene.expectTrust());
    expect(scene.server.count({ verb: 'patch' })).toBe(sent + 1);
    const repairedMs = scene.clock.monotonicMs();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    expect(scene.clock.monotonicMs() - repairedMs).toBeGreaterThanOrEqual(10 * 60_000);
  });

  test('notifies servers of each new certificate, also between load and watch', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    const { certificates } = scene;
    const stop = new AbortController();
    const pairs: KeyPair[] = [];
    const watching = certificates.watch(stop.signal, (pair) => pairs.push(pair));
    const first = await certificates.load();
    expect(pairs).toEqual([first]);
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    await scene.until(() => expect(pairs).toHaveLength(2));
    expect(pairs).toEqual([first, await certificates.load()]);
    stop.abort();
    await watching;
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => expect(scene.steps().filter((step) => step === 'switch')).toHaveLength(2), 10_000);
    expect(pairs).toHaveLength(2);
  });
});

describe('when the API server rejects', () => {
  test('watches, reads every ten minutes, and at once after a write', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.fail({ verb: 'watch' }, { kind: 'error', code: 403 }, 2000);
    await scene.readyReplica();
    scene.configure(MUTATING);
    await scene.until(() => scene.expectTrust(), 10_000);
    await scene.untilRenewal();
    const preparedMs = scene.clock.monotonicMs();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    expect(scene.clock.monotonicMs() - preparedMs).toBeLessThan(15 * 60_000);
  });

  test('requests no longer, the back-off starts again', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    const certificates = scene.replica();
    scene.server.fail({ verb: 'create' }, { kind: 'error', code: 500 }, 8);
    await scene.until(() => expect(certificates.check()).toBeUndefined(), 1000);
    await scene.until(() => expect(scene.server.openWatches).toBeGreaterThanOrEqual(3));
    scene.server.fail({ verb: 'patch' }, { kind: 'error', code: 500 });
    scene.configure(MUTATING);
    const sinceMs = scene.clock.monotonicMs();
    await scene.until(() => scene.expectTrust());
    expect(scene.clock.monotonicMs() - sinceMs).toBeLessThan(30_000);
  });

  test('the Secret, the health check and one log line give the reason, until it is allowed', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    const refused = { kind: 'error', code: 403, reason: 'Forbidden' } as const;
    scene.server.fail({ verb: 'get', plural: 'secrets' }, refused, 4);
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBe('there is no certificate yet: injected fault'));
    await scene.until(() => expect(scene.server.pendingFaults).toBe(0));
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    expect(scene.log.errors).toMatchObject([
      {
        message: FAILURE_MESSAGE,
        error: { message: 'get Secret system/certificate' },
        fields: { fix: "grant the permission to the manager's ServiceAccount" },
      },
    ]);
    expect(scene.count('webhook certificates recovered')).toBe(1);
  });

  test('one configuration, still creates a certificate and updates the others', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.fail({ verb: 'get', plural: 'mutatingwebhookconfigurations' }, { kind: 'error', code: 403 }, 50);
    const certificates = scene.replica();
    await scene.until(() => expect(decode(scene.caBundles(VALIDATING)[0])).toBe(scene.secret['ca.crt']));
    expect(await certificates.load()).toMatchObject({ cert: scene.secret['tls.crt'] });
    await scene.until(() =>
      expect(certificates.check()).toBe('the API server does not trust the certificate yet: injected fault'),
    );
    expect(scene.caBundles(MUTATING)[0]).toBeUndefined();
  });

  test('reading a configuration, presents no new certificate: it may not be trusted', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    const { certificates } = scene;
    const first = await certificates.load();
    scene.server.fail({ verb: 'get', plural: 'mutatingwebhookconfigurations' }, { kind: 'error', code: 403 }, 5000);
    await scene.untilRenewal();
    // The renewal needs fewer checks, also on a slow machine.
    for (let look = 1; look <= 30; look++) {
      const before = scene.server.count({ verb: 'get', plural: 'secrets' });
      const looks = () => expect(scene.server.count({ verb: 'get', plural: 'secrets' })).toBeGreaterThan(before);
      await scene.until(looks, 60_000);
    }
    expect(await certificates.load()).toEqual(first);
    expect(scene.steps()).toEqual(['create', 'prepare']);
    await scene.until(() => expect(certificates.check()).toBeUndefined());
  });
});
