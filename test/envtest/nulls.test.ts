/** Null is absent: in every field of a spec, for every verb, with and without webhooks, beside batch/v1 on the same API server. */
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { defaultCronJob } from '../../api/v1/cronjob-defaulting.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { nullNotes } from '../../kubectl-tcj/plugin/lint/null-notes.ts';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { run } from './support/crd.ts';
import {
  countNulls,
  type NullDocument,
  nullDocuments,
  realisticDocument,
  SPEC,
  specWith,
  takesNull,
  withoutEmptyMaps,
  withoutNullFields,
} from './support/null-documents.ts';
import { builtIn, CronJobPlace } from './support/null-verbs.ts';
import { RawApi } from './support/raw-api.ts';
import { WebhookScene } from './support/webhook-scene.ts';

/** Values of lists and maps at a path, and their purpose. */
const ELEMENTS = [
  { title: 'args', spec: specWith({}, { args: ['a', null] }) },
  { title: 'groups', spec: specWith({ securityContext: { supplementalGroups: [1, null] } }) },
  { title: 'labels', spec: specWith({}, {}, { labels: { a: null } }) },
  { title: 'annotations', spec: specWith({}, {}, { annotations: { a: null } }) },
  { title: 'finalizers', spec: specWith({}, {}, { finalizers: [null] }) },
  { title: 'a node selector', spec: specWith({ nodeSelector: { a: null } }) },
  { title: 'limits', spec: specWith({}, { resources: { limits: { cpu: null } } }) },
  { title: 'tolerations', spec: specWith({ tolerations: [null] }) },
  { title: 'containers', spec: specWith({ initContainers: [null] }) },
  { title: 'variables', spec: specWith({}, { env: [null] }) },
  { title: 'variables, where a value is null', spec: specWith({}, { env: [{ name: 'A', value: null }] }) },
  { title: 'variables, where the name is null', spec: specWith({}, { env: [{ name: null, value: 'a' }] }) },
  { title: 'files of a volume', spec: specWith({ volumes: [{ name: 'v', configMap: { name: 'a', items: [null] } }] }) },
  { title: 'the place of a volume', spec: specWith({ volumes: [{ name: 'v', emptyDir: null }] }) },
];

const api = new RawApi();
afterAll(() => api[Symbol.dispose]());

/** Expects that every verb reads the document as if it had no nulls. @returns the number of stored nulls. */
async function expectAbsent(place: CronJobPlace, { title, spec, withoutNulls }: NullDocument): Promise<number> {
  const given = await place.create(withoutNulls);
  const answers = await place.tryAll(given, spec);
  for (const [verb, { body }] of Object.entries(answers)) {
    expect(body.message, `${verb}: ${title}`).toBeUndefined();
    expect(withoutNullFields(body.spec), `${verb}: ${title}`).toEqual(given.spec);
  }
  return countNulls(Object.values(answers).map(({ body }) => body.spec));
}

describe('without webhooks', () => {
  let place: CronJobPlace;
  beforeAll(async () => {
    place = new CronJobPlace(api, await createNamespace(inject('apiServer'), 'nulls'));
  });

  test.each([...nullDocuments(takesNull), ...nullDocuments()])(
    '$title may be null by every verb, or server-side apply refuses what lint notes',
    async ({ spec, withoutNulls }) => {
      const given = await place.create(withoutNulls);
      const noted = nullNotes({ type: 'object', properties: { spec: SPEC } }, { spec }).map(({ field }) => field);
      for (const [verb, { body }] of Object.entries(await place.tryAll(given, spec))) {
        if (verb.startsWith('server-side apply') && noted.length > 0) {
          const fields = body.details?.causes?.map(({ field }) => field).filter((field) => field.startsWith('spec.'));
          expect([...new Set(fields)].toSorted(), verb).toEqual(noted.toSorted());
        } else expect(withoutNullFields(body.spec), verb).toEqual(given.spec);
      }
    },
  );

  test('server-side apply changes nothing when it is repeated', async () => {
    const [{ spec } = expect.fail()] = nullDocuments(takesNull);
    const first = await place.apply('again', spec);
    expect((await place.apply('again', spec)).body.metadata).toEqual(first.body.metadata);
  });
});

/** Resolves when the API server calls the webhook that removes nulls. */
async function asks(place: CronJobPlace): Promise<void> {
  await eventually(async () => {
    const { body } = await place.apply('asked', specWith({ volumes: null }), { query: 'dryRun=All' });
    expect(body.message).toBeUndefined();
  });
}

test('with the defaulting webhook, every field may be null, and no null is stored', async () => {
  // Samples of every field do not make a valid Job.
  await using webhook = await WebhookScene.open((webhooks) => {
    webhooks.for(cronJobs, { name: 'defaults.example.com', default: defaultCronJob });
  });
  const place = new CronJobPlace(api, webhook.scene.namespace);
  await asks(place);
  const stored = await Promise.all(nullDocuments().map((document) => expectAbsent(place, document)));
  expect(stored.filter((nulls) => nulls > 0)).toEqual([]);
});

describe('with the webhooks of the manager, as in batch/v1', () => {
  const cluster = connect(inject('kubeconfig'));
  afterAll(() => cluster[Symbol.asyncDispose]());

  interface Places extends AsyncDisposable {
    readonly ours: CronJobPlace;
    readonly theirs: CronJobPlace;
  }

  async function openPlaces(): Promise<Places> {
    const { client } = cluster;
    const clock = new SystemClock();
    const webhook = await WebhookScene.open((webhooks) => setupWebhooksWithManager(webhooks, { client, clock }));
    const ours = new CronJobPlace(api, webhook.scene.namespace);
    await asks(ours);
    const theirs = new CronJobPlace(api, webhook.scene.namespace, builtIn);
    return { ours, theirs, [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose]() };
  }

  test('every field that is not used may be null', async () => {
    await using places = await openPlaces();
    const { ours, theirs } = places;
    const document = realisticDocument();
    expect(countNulls(document.spec)).toBeGreaterThan(350);
    expect(await expectAbsent(theirs, document)).toBe(0);
    expect(await expectAbsent(ours, document)).toBe(0);
  });

  test('an element that is null is the same, or refused', async () => {
    await using places = await openPlaces();
    const { ours, theirs } = places;
    const [given, theirGiven] = [await ours.create(specWith({})), await theirs.create(specWith({}))];
    for (const { title, spec } of ELEMENTS) {
      const [own, their] = [await ours.tryAll(given, spec), await theirs.tryAll(theirGiven, spec)];
      for (const verb of Object.keys(own)) {
        const [ownBody, theirBody] = [own[verb]?.body, their[verb]?.body];
        const why = `${title}, ${verb}: ${ownBody?.message}; batch/v1: ${theirBody?.message}`;
        expect(ownBody?.message === undefined, why).toBe(theirBody?.message === undefined);
        // The API server sets more defaults in a batch/v1 CronJob, and does not show an empty list or map.
        if (ownBody?.spec) expect(theirBody?.spec, why).toMatchObject(withoutEmptyMaps(ownBody.spec));
      }
    }
  });

  test('GitOps tools see no drift', async () => {
    await using places = await openPlaces();
    const { ours } = places;
    const { spec } = realisticDocument();
    const metadata = { labels: null, annotations: null };
    const first = await ours.apply('drift', spec, { metadata });
    expect(first.body.message).toBeUndefined();
    const second = await ours.apply('drift', spec, { metadata });
    expect(second.body.metadata).toEqual(first.body.metadata);
    const diff = await run(
      ['diff', '--server-side', '--field-manager=tester', '-f', '-'],
      ours.manifest('drift', spec),
    );
    expect(diff).toMatchObject({ code: 0, stdout: '' });
    const later = await ours.apply('drift', withoutNullFields(spec));
    expect(later.body.spec).toEqual(first.body.spec);
    expect(later.body.metadata.generation).toBe(1);
  });
});
