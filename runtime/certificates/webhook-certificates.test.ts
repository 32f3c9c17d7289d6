import { describe, expect, test } from 'vitest';
import { LiveClient } from '../client/live-client.ts';
import { HttpTransport } from '../client/transport.ts';
import { core } from '../kubernetes/core.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import type { KeyPair } from '../tls/key-pair.ts';
import { type ConfigurationRef, resourceOf } from './ca-bundle.ts';
import { WebhookCertificates } from './webhook-certificates.ts';

const DAY_MS = 86_400_000;
const SECRET = { namespace: 'system', name: 'certificate' };
const PLAIN = { admissionReviewVersions: ['v1'], sideEffects: 'None' };
const SERVICE = { namespace: 'system', name: 'hooks' };
const MUTATING: ConfigurationRef = { kind: 'MutatingWebhookConfiguration', name: 'mutating' };
const VALIDATING: ConfigurationRef = { kind: 'ValidatingWebhookConfiguration', name: 'validating' };
const CONFIGURATIONS = [MUTATING, VALIDATING];
const FAILURE = 'could not update webhook certificates, will retry';

const decode = (text = '') => Buffer.from(text, 'base64').toString();

/** An API server with both configurations in it, and replicas of a manager that share a clock. */
class Scene implements AsyncDisposable {
  readonly clock = new FakeClock('2030-01-01');
  readonly log = new RecordingLogger();
  readonly server: FakeApiServer;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  private constructor(server: FakeApiServer) {
    this.server = server;
  }

  static async open(): Promise<Scene> {
    const scene = new Scene(await FakeApiServer.start());
    for (const ref of CONFIGURATIONS) scene.configure(ref);
    return scene;
  }

  /** Puts a configuration there as people apply it: without a caBundle. */
  configure(ref: ConfigurationRef): void {
    const ours = { ...PLAIN, name: 'ours', clientConfig: { service: SERVICE } };
    const other = { ...PLAIN, name: 'other', clientConfig: { service: { ...SERVICE, name: 'x' }, caBundle: 'theirs' } };
    this.server.put(resourceOf(ref), { metadata: { name: ref.name }, webhooks: [ours, other] });
  }

  replica(): WebhookCertificates {
    const { clock, log, server } = this;
    const credentials = { current: async () => ({ server: server.url, tls: {}, headers: {} }), refresh() {} };
    const transport = new HttpTransport({ userAgent: 'tester', credentials, clock });
    const client = new LiveClient(transport, { fieldManager: 'tester' });
    const names = { secret: SECRET, service: SERVICE, configurations: CONFIGURATIONS };
    const certificates = new WebhookCertificates({ client, transport, clock, log, ...names });
    const run = async () => {
      await certificates.start(this.#stop.signal);
      await transport.close();
    };
    this.#running.push(run());
    return certificates;
  }

  /** Lets time pass in steps until the assertion holds. */
  until<T>(assertion: () => T | Promise<T>, stepMs = 100): Promise<T> {
    const tried = async () => {
      await this.clock.advance(stepMs);
      return await assertion();
    };
    return eventually(tried, { intervalMs: 1, timeoutMs: 4000 });
  }

  /** Two thirds of the certificate's time pass; only the wall clock moves, as nothing else happens meanwhile. */
  async untilRenewal(): Promise<void> {
    this.clock.jumpTo(this.clock.now().getTime() + 61 * DAY_MS);
    await this.until(() => expect(this.steps()).toEqual(['make', 'prepare']), 10_000);
  }

  get secret() {
    const data = this.server.get(core.v1.secrets, SECRET)?.data ?? {};
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));
  }

  /** What the webhooks of a configuration trust, ours first. */
  trusted(ref: ConfigurationRef): readonly (string | undefined)[] {
    const webhooks = this.server.get(resourceOf(ref), { name: ref.name })?.webhooks ?? [];
    return webhooks.map(({ clientConfig }) => clientConfig.caBundle);
  }

  /** Every webhook of ours trusts what the Secret says, and there is something in it. */
  agrees(): void {
    const want = this.secret['ca.crt'];
    expect(want).toBeTruthy();
    for (const ref of CONFIGURATIONS) expect(decode(this.trusted(ref)[0])).toBe(want);
  }

  steps(): readonly unknown[] {
    return this.log.records.flatMap(({ message, fields }) =>
      message === 'stored webhook certificates' ? [fields['step']] : [],
    );
  }

  count(message: string): number {
    return this.log.records.filter((record) => record.message === message).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.server.close();
  }
}

/** The certificates in a bundle. */
const authorities = (bundle = '') => bundle.split('-----BEGIN').length - 1;

describe('at the first start', () => {
  test('makes a certificate, stores it, has our webhooks trust it, and touches no other', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    scene.agrees();
    expect(await certificates.load()).toEqual({ cert: scene.secret['tls.crt'], key: scene.secret['tls.key'] });
    expect(scene.server.get(core.v1.secrets, SECRET)).toMatchObject({ type: 'kubernetes.io/tls' });
    for (const ref of CONFIGURATIONS) expect(scene.trusted(ref)[1]).toBe('theirs');
    expect(scene.steps()).toEqual(['make']);
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
    await using scene = await Scene.open();
    if (verb === 'update') scene.server.put(core.v1.secrets, { metadata: SECRET });
    const held = Promise.withResolvers<void>();
    for (let i = 0; i < 3; i++) scene.server.fail({ verb }, { kind: 'hold', until: held.promise });
    const replicas = [scene.replica(), scene.replica(), scene.replica()];
    await scene.server.until((server) => server.count({ verb, plural: 'secrets' }) === 3);
    held.resolve();
    for (const replica of replicas) await scene.until(() => expect(replica.check()).toBeUndefined());
    const pairs = await Promise.all(replicas.map((replica) => replica.load()));
    expect(new Set(pairs.map(({ cert }) => cert))).toEqual(new Set([scene.secret['tls.crt']]));
    scene.agrees();
    expect(scene.steps()).toEqual(['make']);
    expect(scene.log.errors).toEqual([]);
  });

  test('takes what an earlier manager left, and writes nothing', async () => {
    await using scene = await Scene.open();
    const first = scene.replica();
    await scene.until(() => expect(first.check()).toBeUndefined());
    const { version } = scene.server;
    const second = scene.replica();
    await scene.until(() => expect(second.check()).toBeUndefined());
    expect(await second.load()).toEqual(await first.load());
    expect(scene.server.version).toBe(version);
  });

  test('fills a Secret that is there without a certificate, and keeps what else is in it', async () => {
    await using scene = await Scene.open();
    scene.server.put(core.v1.secrets, { metadata: SECRET, type: 'Opaque', data: { mine: 'eA==' } });
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    expect(scene.secret).toMatchObject({ mine: 'x', 'tls.crt': (await certificates.load()).cert });
    expect(scene.server.get(core.v1.secrets, SECRET)).toMatchObject({ type: 'Opaque' });
  });

  test('has no certificate to give before there is one, and does not wait beyond the end', async () => {
    await using scene = await Scene.open();
    scene.server.fail({ verb: 'create' }, { kind: 'hold', until: new Promise(() => {}) });
    const certificates = scene.replica();
    expect(certificates.check()).toBe('there is no certificate yet');
    await expect(certificates.load()).rejects.toThrow('there is no certificate yet');
    expect(await certificates.waitForCertificate(AbortSignal.abort())).toBe(false);
  });
});

describe('a configuration', () => {
  test('that somebody applied anew is told again at once', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    for (const ref of CONFIGURATIONS) {
      await scene.server.watchOpened(3);
      scene.configure(ref);
      expect(scene.trusted(ref)[0]).toBeUndefined();
      const sinceMs = scene.clock.monotonicMs();
      await scene.until(() => scene.agrees(), 10);
      // Well before it would look again by itself.
      expect(scene.clock.monotonicMs() - sinceMs).toBeLessThan(60_000);
    }
  });

  test('that somebody else keeps changing is answered once a second, not as fast as that goes', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    let answers = 0;
    const endMs = scene.clock.monotonicMs() + 5000;
    await scene.until(() => {
      const isAnswered = scene.trusted(MUTATING)[0] !== undefined;
      if (isAnswered) scene.configure(MUTATING);
      answers += Number(isAnswered);
      expect(scene.clock.monotonicMs()).toBeGreaterThan(endMs);
    }, 25);
    expect(answers).toBeGreaterThan(1);
    expect(answers).toBeLessThanOrEqual(6);
  });

  test('that comes later is waited for, which is said once', async () => {
    await using scene = await Scene.open();
    scene.server.remove(resourceOf(MUTATING), MUTATING);
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    await scene.clock.advance(30 * 60_000);
    expect(scene.count('webhook configuration not found, waiting for it')).toBe(1);
    scene.configure(MUTATING);
    await scene.until(() => scene.agrees());
  });

  test('that calls another service is left alone, which is said once', async () => {
    await using scene = await Scene.open();
    const clientConfig = { service: { ...SERVICE, name: 'misspelt' } };
    scene.server.put(resourceOf(MUTATING), {
      metadata: { name: MUTATING.name },
      webhooks: [{ ...PLAIN, name: 'other', clientConfig }],
    });
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    await scene.clock.advance(30 * 60_000);
    expect(scene.trusted(MUTATING)).toEqual([undefined]);
    expect(scene.count('webhook configuration calls another Service')).toBe(1);
  });

  test('that is not there does not hold up a renewal', async () => {
    await using scene = await Scene.open();
    scene.server.remove(resourceOf(MUTATING), MUTATING);
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    await scene.untilRenewal();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
  });

  test.each([
    ['reads', 'get'],
    ['writes', 'patch'],
  ] as const)('is not put back by a replica that %s it slowly while another one brings it further', async (_, verb) => {
    await using scene = await Scene.open();
    const held = Promise.withResolvers<void>();
    const [first, last] = [scene.replica(), scene.replica()];
    for (const replica of [first, last]) await scene.until(() => expect(replica.check()).toBeUndefined());
    await scene.server.watchOpened(6);
    const ofIt = { verb, plural: 'mutatingwebhookconfigurations' } as const;
    const before = scene.server.count(ofIt);
    scene.server.fail(ofIt, { kind: 'hold', until: held.promise });
    scene.configure(MUTATING);
    await scene.until(() => expect(scene.server.count(ofIt)).toBeGreaterThan(before));
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => {
      expect(scene.steps()).toEqual(['make', 'prepare']);
      scene.agrees();
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

describe('in time', () => {
  test('a new certificate is trusted before it is shown, and the old one until nobody shows it', async () => {
    await using scene = await Scene.open();
    const replicas = [scene.replica(), scene.replica()];
    for (const replica of replicas) await scene.until(() => expect(replica.check()).toBeUndefined());
    const old = scene.secret;
    await scene.untilRenewal();
    await scene.until(() => scene.agrees());
    expect(scene.secret).toMatchObject({ 'tls.crt': old['tls.crt'], 'next-tls.crt': expect.any(String) });
    expect(authorities(scene.secret['ca.crt'])).toBe(2);
    const next = scene.secret['next-tls.crt'];
    await scene.until(() => expect(scene.steps()).toEqual(['make', 'prepare', 'switch']), 10_000);
    for (const replica of replicas) await scene.until(async () => expect((await replica.load()).cert).toBe(next));
    expect(authorities(scene.secret['ca.crt'])).toBe(2);
    expect(scene.secret['next-tls.crt']).toBeUndefined();
    await scene.until(() => expect(scene.steps()).toEqual(['make', 'prepare', 'switch', 'retire']), 10_000);
    await scene.until(() => scene.agrees());
    expect(authorities(scene.secret['ca.crt'])).toBe(1);
    expect(scene.secret['ca.crt']).not.toBe(old['ca.crt']);
    expect(scene.log.errors).toEqual([]);
  });

  test('the wait begins anew when a configuration has lost what it trusted', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    await scene.untilRenewal();
    await scene.until(() => scene.agrees());
    const sent = scene.server.count({ verb: 'patch' });
    await scene.clock.advance(9 * 60_000);
    await scene.server.watchOpened(3);
    scene.configure(MUTATING);
    await scene.until(() => scene.agrees());
    expect(scene.server.count({ verb: 'patch' })).toBe(sent + 1);
    const repairedMs = scene.clock.monotonicMs();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    expect(scene.clock.monotonicMs() - repairedMs).toBeGreaterThanOrEqual(10 * 60_000);
  });

  test('servers are told of each new certificate, and of one that came between loading and following', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    const stop = new AbortController();
    const seen: KeyPair[] = [];
    const watching = certificates.watch(stop.signal, (pair) => seen.push(pair));
    const first = await certificates.load();
    expect(seen).toEqual([first]);
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    await scene.until(() => expect(seen).toHaveLength(2));
    expect(seen).toEqual([first, await certificates.load()]);
    stop.abort();
    await watching;
    scene.server.remove(core.v1.secrets, SECRET);
    await scene.until(() => expect(scene.steps().filter((step) => step === 'switch')).toHaveLength(2), 10_000);
    expect(seen).toHaveLength(2);
  });
});

test('a Secret that somebody deletes is renewed: what is in use stays in use until the next is trusted', async () => {
  await using scene = await Scene.open();
  const replicas = [scene.replica(), scene.replica()];
  for (const replica of replicas) await scene.until(() => expect(replica.check()).toBeUndefined());
  const old = scene.secret;
  await scene.server.watchOpened(6);
  scene.server.remove(core.v1.secrets, SECRET);
  await scene.until(() => scene.agrees());
  expect(scene.secret).toMatchObject({ 'tls.crt': old['tls.crt'], 'next-tls.crt': expect.any(String) });
  expect(scene.secret['ca.crt']).toContain(old['ca.crt']);
  expect(scene.steps()).toEqual(['make', 'prepare']);
});

describe('when the API server refuses', () => {
  test('watches, it is asked every ten minutes, and at once after a write', async () => {
    await using scene = await Scene.open();
    for (let i = 0; i < 2000; i++) scene.server.fail({ verb: 'watch' }, { kind: 'refuse', code: 403 });
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    scene.configure(MUTATING);
    await scene.until(() => scene.agrees(), 10_000);
    await scene.untilRenewal();
    const preparedMs = scene.clock.monotonicMs();
    await scene.until(() => expect(scene.steps()).toContain('switch'), 10_000);
    expect(scene.clock.monotonicMs() - preparedMs).toBeLessThan(15 * 60_000);
  });

  test('and then no more, the next failure is a first one again', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    for (let i = 0; i < 8; i++) scene.server.fail({ verb: 'create' }, { kind: 'refuse', code: 500 });
    await scene.until(() => expect(certificates.check()).toBeUndefined(), 1000);
    await scene.server.watchOpened(3);
    scene.server.fail({ verb: 'patch' }, { kind: 'refuse', code: 500 });
    scene.configure(MUTATING);
    const sinceMs = scene.clock.monotonicMs();
    await scene.until(() => scene.agrees());
    expect(scene.clock.monotonicMs() - sinceMs).toBeLessThan(30_000);
  });

  test('the Secret, the check and one line say why, and it goes on when it is allowed', async () => {
    await using scene = await Scene.open();
    const refused = { kind: 'refuse', code: 403, reason: 'Forbidden' } as const;
    for (let i = 0; i < 4; i++) scene.server.fail({ verb: 'get', plural: 'secrets' }, refused);
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBe('there is no certificate yet: a fault was asked for'));
    await scene.until(() => expect(scene.server.pendingFaults).toBe(0));
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    expect(scene.log.errors).toMatchObject([
      {
        message: FAILURE,
        error: { message: 'get Secret system/certificate' },
        fields: { fix: "grant the right to the manager's ServiceAccount" },
      },
    ]);
    expect(scene.count('webhook certificates recovered')).toBe(1);
  });

  test('it is asked less and less often', async () => {
    await using scene = await Scene.open();
    for (let i = 0; i < 20; i++) scene.server.fail({ verb: 'create' }, { kind: 'refuse', code: 403 });
    scene.replica();
    const creates = () => scene.server.count({ verb: 'create' });
    await scene.until(() => expect(creates()).toBe(1), 1);
    await scene.until(() => expect(creates()).toBe(11), 1000);
    // 1, 2, 4, 8, 16, 32 s and then a minute each, and what the steps are longer.
    expect(scene.clock.monotonicMs()).toBeGreaterThan(303_000);
  });

  test('a configuration, there is a certificate all the same, and the others are told', async () => {
    await using scene = await Scene.open();
    for (let i = 0; i < 50; i++)
      scene.server.fail({ verb: 'get', plural: 'mutatingwebhookconfigurations' }, { kind: 'refuse', code: 403 });
    const certificates = scene.replica();
    await scene.until(() => expect(decode(scene.trusted(VALIDATING)[0])).toBe(scene.secret['ca.crt']));
    expect(await certificates.load()).toMatchObject({ cert: scene.secret['tls.crt'] });
    await scene.until(() =>
      expect(certificates.check()).toBe('the API server does not trust the certificate yet: a fault was asked for'),
    );
    expect(scene.trusted(MUTATING)[0]).toBeUndefined();
  });

  test('a configuration, no new certificate is shown: nobody knows whom it would trust', async () => {
    await using scene = await Scene.open();
    const certificates = scene.replica();
    await scene.until(() => expect(certificates.check()).toBeUndefined());
    const first = await certificates.load();
    for (let i = 0; i < 5000; i++)
      scene.server.fail({ verb: 'get', plural: 'mutatingwebhookconfigurations' }, { kind: 'refuse', code: 403 });
    await scene.untilRenewal();
    // Longer than a certificate is prepared before it is shown, look by look: a slow machine only has longer turns.
    for (let look = 1; look <= 30; look++) {
      const before = scene.server.count({ verb: 'get', plural: 'secrets' });
      const looks = () => expect(scene.server.count({ verb: 'get', plural: 'secrets' })).toBeGreaterThan(before);
      await scene.until(looks, 60_000);
    }
    expect(await certificates.load()).toEqual(first);
    expect(scene.steps()).toEqual(['make', 'prepare']);
    await scene.until(() => expect(certificates.check()).toBeUndefined());
  });
});
