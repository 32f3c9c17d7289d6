import { describe, expect, test } from 'vitest';
import { core } from '../kubernetes/core.ts';
import {
  CONFIGURATIONS,
  FAILURE_MESSAGE,
  MUTATING,
  SECRET,
  SERVICE,
  WEBHOOK_FIELDS,
  WebhookCertificatesHarness,
} from '../test-support/webhook-certificates-harness.ts';
import { getConfigurationResource } from './ca-bundle.ts';
import { MAX_CONFLICTS_IN_A_ROW } from './webhook-certificates.ts';

describe('at the first start', () => {
  test('creates and stores a certificate, and sets the caBundle of its webhooks only', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    const { certificates } = scene;
    scene.expectTrust();
    expect(await certificates.load()).toEqual({ cert: scene.secret['tls.crt'], key: scene.secret['tls.key'] });
    expect(scene.server.get(core.v1.secrets, SECRET)).toMatchObject({ type: 'kubernetes.io/tls' });
    for (const ref of CONFIGURATIONS) expect(scene.caBundles(ref)[1]).toBe('theirs');
    expect(scene.steps()).toEqual(['create']);
    const watches = scene.server.requests.filter(({ verb }) => verb === 'watch');
    const selectors = watches.map(({ plural, query }) => `${plural} ${query.get('fieldSelector')}`);
    expect(selectors.sort()).toEqual([
      'mutatingwebhookconfigurations metadata.name=mutating',
      'secrets metadata.name=certificate',
      'validatingwebhookconfigurations metadata.name=validating',
    ]);
  });

  test.each([
    ['no Secret', 'create'],
    ['an empty one', 'update'],
  ] as const)('replicas that start together with %s agree on one certificate', async (_, verb) => {
    await using scene = await WebhookCertificatesHarness.open();
    if (verb === 'update') scene.server.put(core.v1.secrets, { metadata: SECRET });
    const held = Promise.withResolvers<void>();
    scene.server.fail({ verb }, { kind: 'hold', until: held.promise }, 3);
    const replicas = [scene.replica(), scene.replica(), scene.replica()];
    await scene.server.until((server) => server.count({ verb, plural: 'secrets' }) === 3);
    held.resolve();
    for (const replica of replicas) await scene.until(() => expect(replica.check()).toBeUndefined());
    const pairs = await Promise.all(replicas.map((replica) => replica.load()));
    expect(new Set(pairs.map(({ cert }) => cert))).toEqual(new Set([scene.secret['tls.crt']]));
    scene.expectTrust();
    expect(scene.steps()).toEqual(['create']);
    expect(scene.log.errors).toEqual([]);
  });

  test('uses the certificate of an earlier manager and writes nothing', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    const first = await scene.readyReplica();
    const { version } = scene.server;
    const second = await scene.readyReplica();
    expect(await second.load()).toEqual(await first.load());
    expect(scene.server.version).toBe(version);
  });

  test('adds a certificate to an existing Secret and keeps its other data', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.put(core.v1.secrets, { metadata: SECRET, type: 'Opaque', data: { mine: 'eA==' } });
    const certificates = await scene.readyReplica();
    expect(scene.secret).toMatchObject({ mine: 'x', 'tls.crt': (await certificates.load()).cert });
    expect(scene.server.get(core.v1.secrets, SECRET)).toMatchObject({ type: 'Opaque' });
  });

  test('has no certificate before the first one, and stops waiting when it is stopped', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.fail({ verb: 'create' }, { kind: 'hold', until: new Promise(() => {}) });
    const certificates = scene.replica();
    expect(certificates.check()).toBe('there is no certificate yet');
    await expect(certificates.load()).rejects.toThrow('there is no certificate yet');
    expect(await certificates.waitForCertificate(AbortSignal.abort())).toBe(false);
  });
});

describe('a conflict', () => {
  const CONFLICT_MESSAGE = 'another client changed the same object, will read it again';

  test('that repeats is an error that names the object and the fix, once, until a write succeeds', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.fail({ verb: 'patch' }, { kind: 'error', code: 409 }, Number.POSITIVE_INFINITY);
    const certificates = scene.replica();
    await scene.until(() => expect(scene.count(FAILURE_MESSAGE)).toBe(1));
    expect(scene.log.errors[0]).toMatchObject({
      error: { message: 'patch MutatingWebhookConfiguration mutating' },
      fields: { fix: expect.stringContaining('cert-manager.io/inject-ca-from') },
    });
    expect(scene.count(CONFLICT_MESSAGE)).toBe(MAX_CONFLICTS_IN_A_ROW);
    await scene.clock.advance(10 * 60_000);
    expect(scene.count(FAILURE_MESSAGE)).toBe(1);
    expect(certificates.check()).toContain('the API server does not trust the certificate yet: ');
    scene.server.clearFaults();
    await scene.until(() => expect(certificates.check()).toBeUndefined(), 10_000);
    expect(scene.count('webhook certificates recovered')).toBe(1);
  });

  test('is not an error if the next check succeeds', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    for (const verb of ['create', 'patch'] as const) scene.server.fail({ verb }, { kind: 'error', code: 409 }, 2);
    await scene.readyReplica();
    expect(scene.count(CONFLICT_MESSAGE)).toBeGreaterThan(1);
    expect(scene.log.errors).toEqual([]);
  });
});

describe('a configuration', () => {
  test('that a user applied again gets its caBundle at once', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    for (const ref of CONFIGURATIONS) {
      await scene.server.watchOpened(3);
      scene.configure(ref);
      expect(scene.caBundles(ref)[0]).toBeUndefined();
      const sinceMs = scene.clock.monotonicMs();
      await scene.until(() => scene.expectTrust(), 10);
      // The next periodic check is much later.
      expect(scene.clock.monotonicMs() - sinceMs).toBeLessThan(60_000);
    }
  });

  test('that could not be read is read again when the broken watch reopens', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.replica();
    await scene.until(() => scene.expectTrust());
    scene.server.fail({ verb: 'get' }, { kind: 'error', code: 500 }, Number.POSITIVE_INFINITY);
    scene.configure(MUTATING);
    await scene.until(() => expect(scene.count(FAILURE_MESSAGE)).toBe(1));
    const failures = () => scene.server.count({ verb: 'get' });
    const before = failures();
    await scene.until(() => expect(failures()).toBeGreaterThan(before + 24), 10_000); // each check reads three objects
    scene.server.clearFaults();
    const sinceMs = scene.clock.monotonicMs();
    scene.server.breakWatches({ kind: 'reset' });
    await scene.until(() => scene.expectTrust(), 20);
    expect(scene.clock.monotonicMs() - sinceMs).toBeLessThan(20_000);
  });

  test('that another client keeps changing is updated at most once a second', async () => {
    await using scene = await WebhookCertificatesHarness.ready();
    let answers = 0;
    const endMs = scene.clock.monotonicMs() + 5000;
    await scene.until(() => {
      const isAnswered = scene.caBundles(MUTATING)[0] !== undefined;
      if (isAnswered) scene.configure(MUTATING);
      answers += Number(isAnswered);
      expect(scene.clock.monotonicMs()).toBeGreaterThan(endMs);
    }, 25);
    expect(answers).toBeGreaterThan(1);
    expect(answers).toBeLessThanOrEqual(6);
  });

  test('that does not exist yet is awaited, and logged once', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.remove(getConfigurationResource(MUTATING), MUTATING);
    await scene.readyReplica();
    await scene.clock.advance(30 * 60_000);
    expect(scene.count('webhook configuration not found, waiting for it')).toBe(1);
    scene.configure(MUTATING);
    await scene.until(() => scene.expectTrust());
  });

  test('that calls another Service is ignored, and logged once', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    const clientConfig = { service: { ...SERVICE, name: 'misspelt' } };
    scene.server.put(getConfigurationResource(MUTATING), {
      metadata: { name: MUTATING.name },
      webhooks: [{ ...WEBHOOK_FIELDS, name: 'other', clientConfig }],
    });
    await scene.readyReplica();
    await scene.clock.advance(30 * 60_000);
    expect(scene.caBundles(MUTATING)).toEqual([undefined]);
    expect(scene.count('webhook configuration calls another Service')).toBe(1);
  });

  test('that does not exist does not delay a renewal', async () => {
    await using scene = await WebhookCertificatesHarness.open();
    scene.server.remove(getConfigurationResource(MUTATING), MUTATING);
    await scene.readyReplica();
    await scene.untilRenewal();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
  });

  test.each([
    ['reads', 'get'],
    ['writes', 'patch'],
  ] as const)('is not reverted by a replica that %s it slowly while another one advances', async (_, verb) => {
    await using scene = await WebhookCertificatesHarness.open();
    const held = Promise.withResolvers<void>();
    await scene.readyReplica();
    await scene.readyReplica();
    await scene.server.watchOpened(6);
    const calls = { verb, plural: 'mutatingwebhookconfigurations' } as const;
    const before = scene.server.count(calls);
    scene.server.fail(calls, { kind: 'hold', until: held.promise });
    scene.configure(MUTATING);
    await scene.until(() => expect(scene.server.count(calls)).toBeGreaterThan(before));
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => {
      expect(scene.steps()).toEqual(['create', 'prepare']);
      scene.expectTrust();
    });
    const { version } = scene.server;
    const looks = scene.server.count({ verb: 'get', plural: 'secrets' });
    held.resolve();
    const looksMore = () => expect(scene.server.count({ verb: 'get', plural: 'secrets' })).toBeGreaterThan(looks + 1);
    await scene.until(looksMore, 10_000);
    expect(scene.server.version).toBe(version);
    expect(scene.log.errors).toEqual([]);
  });
});
