import { X509Certificate } from 'node:crypto';
import type { AdmissionContext, Verdict, WebhookSettings } from 'controller-runtime';
import { eventually, selfSignedCertificate, writeCertificate } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { fingerprintShown } from '../support/shown-certificate.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const REFUSED = '7 7 7 7 *';
const WARNED = '8 8 8 8 *';
const FINE = '9 9 9 9 *';
const WHY = `Invalid value: "${REFUSED}": never on the seventh`;
const REFUSAL = { reason: 'FieldValueInvalid', field: 'spec.schedule', message: WHY };
const FAILED = 'failed calling webhook "vcronjob-v1.kb.io"';

type Validate = (cronJob: CronJob, context: AdmissionContext) => Promise<Verdict>;

/** Refuses one schedule and warns of another. */
const validate: Validate = async ({ spec: { schedule } }) => ({
  errors: schedule === REFUSED ? [REFUSAL] : [],
  warnings: schedule === WARNED ? ['spec.schedule: beware of "the eighth"', `one\nline ${'x'.repeat(400)}`] : [],
});

function openValidating(work: Validate = validate, settings: WebhookSettings = {}): Promise<WebhookScene> {
  return WebhookScene.open((webhooks) =>
    webhooks.for(cronJobs, {
      name: 'cronjob-v1.kb.io',
      validate: ({ object }, context) => work(object, context),
      ...settings,
    }),
  );
}

describe('the API server', () => {
  test('hands a refusal on with its fields, as of a built-in kind, and kubectl prints them', async () => {
    await using webhooks = await openValidating();
    expect(await webhooks.refusalOf(REFUSED)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'admission webhook "vcronjob-v1.kb.io" denied the request: ' +
        `CronJob.batch.tutorial.kubebuilder.io "hello" is invalid: spec.schedule: ${WHY}`,
      causes: [REFUSAL],
    });
    const creation = await webhooks.apply(REFUSED);
    expect(creation.code).toBe(1);
    expect(creation.stderr).toContain(`spec.schedule: ${WHY}`);
    expect(await webhooks.apply(FINE)).toEqual({ code: 0, stderr: '' });
    const change = await webhooks.apply(REFUSED);
    expect(change.code).toBe(1);
    expect(change.stderr).toContain(`spec.schedule: ${WHY}`);
  });

  test('hands warnings on, and kubectl prints them', async () => {
    await using webhooks = await openValidating();
    await webhooks.refusalOf(REFUSED);
    const { code, stderr } = await webhooks.apply(WARNED);
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'Warning: spec.schedule: beware of "the eighth"',
      `Warning: one line ${'x'.repeat(246)}…`,
    ]);
  });

  test('stores what the defaulter filled in, under keys with slashes and tildes and at the end of lists too', async () => {
    const annotations = { 'example.com/filled-in': 'yes' };
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(cronJobs, {
        default: ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations }, finalizers: ['a.b/c'] },
        }),
      }),
    );
    await eventually(async () => expect((await webhooks.create(FINE)).metadata).toMatchObject({ annotations }));
    const { metadata, spec } = await webhooks.create(FINE, { dryRun: false });
    expect(metadata).toMatchObject({ annotations, finalizers: ['a.b/c'] });
    expect(spec.schedule).toBe(FINE);
  });

  test('tells the webhook of a dry run', async () => {
    const dryRuns: boolean[] = [];
    await using webhooks = await openValidating(async (cronJob, context) => {
      if (cronJob.spec.schedule === FINE) dryRuns.push(context.isDryRun);
      return validate(cronJob, context);
    });
    await webhooks.refusalOf(REFUSED);
    await webhooks.create(FINE, { dryRun: true });
    await webhooks.create(FINE, { dryRun: false });
    expect(dryRuns).toEqual([true, false]);
  });

  test('takes the last finalizer off an object that would be refused', async () => {
    let refusesAll = false;
    await using webhooks = await openValidating(async (cronJob, context) =>
      refusesAll ? { errors: [REFUSAL], warnings: [] } : validate(cronJob, context),
    );
    await webhooks.refusalOf(REFUSED);
    const { client, namespace } = webhooks.scene;
    const { metadata: key } = await webhooks.create(FINE, { dryRun: false });
    const setFinalizers = (finalizers: readonly string[] | null) =>
      client.patch(cronJobs, { namespace, name: key.name }, { kind: 'merge', body: { metadata: { finalizers } } });
    await setFinalizers(['example.com/last']);
    refusesAll = true;
    await expect(setFinalizers(null)).rejects.toMatchObject({ code: 422 });
    await client.delete(cronJobs, { namespace, name: key.name });
    await setFinalizers(null);
    expect(await client.get(cronJobs, { namespace, name: key.name })).toBeUndefined();
  });
});

describe('when the webhook fails', () => {
  const failing: Validate = async (cronJob, context) => {
    if (cronJob.spec.schedule === FINE) throw new Error('the moon is full');
    return validate(cronJob, context);
  };

  test('failurePolicy Fail refuses the object and says why', async () => {
    await using webhooks = await openValidating(failing);
    await webhooks.refusalOf(REFUSED);
    await expect(webhooks.create(FINE)).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(new RegExp(`${FAILED}.*review of .* failed: the moon is full`)),
    });
  });

  test('a review that hangs ends before the patience of the API server does', async () => {
    const asked = Promise.withResolvers<void>();
    await using webhooks = await openValidating(
      async (cronJob, context) => {
        if (cronJob.spec.schedule !== FINE) return validate(cronJob, context);
        asked.resolve();
        return await new Promise(() => {});
      },
      { timeoutSeconds: 30 },
    );
    await webhooks.refusalOf(REFUSED);
    const creation = webhooks.create(FINE);
    await Promise.all([
      expect(creation).rejects.toMatchObject({ message: expect.stringContaining('took longer than 24000 ms') }),
      asked.promise.then(() => webhooks.scene.clock.advance(24_000)),
    ]);
  });
});

describe('a renewed certificate', () => {
  test('is the one that the API server then checks', async () => {
    await using webhooks = await openValidating();
    const { message } = await webhooks.refusalOf(REFUSED);
    const { cert } = writeCertificate(webhooks.certificateFolder);
    await eventually(async () => {
      await webhooks.scene.clock.advance(10_000);
      expect(await fingerprintShown(webhooks.installation.port)).toBe(new X509Certificate(cert).fingerprint256);
    });
    // The connection that is open goes on; whoever trusts something else makes a new one.
    await webhooks.trust(selfSignedCertificate('stranger').cert);
    await eventually(async () => expect((await webhooks.refusalOf(REFUSED)).message).toContain(FAILED));
    await webhooks.trust(cert);
    await eventually(async () => expect((await webhooks.refusalOf(REFUSED)).message).toBe(message));
  });
});
