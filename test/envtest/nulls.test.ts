/** Null is absent: in every field of a spec, by every verb, with webhooks and without, beside batch/v1 on the same API server. */
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { defaultCronJob } from '../../api/v1/cronjob-defaulting.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { nullNotes } from '../../kubectl-tcj/plugin/lint/null-notes.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { run } from './support/crd.ts';
import {
  countNulls,
  type NullDocument,
  nullDocuments,
  nullInTurn,
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

/** What lists and maps have at a place, and what that is there for. */
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

let api: RawApi;
beforeAll(() => {
  api = new RawApi();
});
afterAll(() => api[Symbol.dispose]());

/** Expects that every verb reads the document as if its nulls were not there. @returns how many nulls are stored. */
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

  test.each(nullDocuments(takesNull))(
    '$title may be null, if server-side apply does not merge it',
    async (document) => {
      await expectAbsent(place, document);
    },
  );

  test.each(nullDocuments())('$title may be null, by every verb but server-side apply', async (document) => {
    const given = await place.create(document.withoutNulls);
    const answers = Object.entries(await place.tryAll(given, document.spec));
    for (const [verb, { body }] of answers.filter(([name]) => !name.startsWith('server-side apply'))) {
      expect(withoutNullFields(body.spec), verb).toEqual(given.spec);
    }
  });

  test.each(nullDocuments())('$title may be null, or server-side apply refuses what lint notes', async ({ spec }) => {
    const { body } = await place.apply('noted', spec, { query: 'dryRun=All' });
    const refused = body.details?.causes?.flatMap(({ field }) => (field.startsWith('spec.') ? [field] : [])) ?? [];
    const noted = nullNotes({ type: 'object', properties: { spec: SPEC } }, { spec }).map(({ field }) => field);
    expect([...new Set(refused)].toSorted()).toEqual(noted.toSorted());
  });

  test('server-side apply changes nothing when it is repeated', async () => {
    const [{ spec } = expect.fail()] = nullDocuments(takesNull);
    const first = await place.apply('again', spec);
    expect((await place.apply('again', spec)).body.metadata).toEqual(first.body.metadata);
  });
});

/** Resolves when the API server asks the webhook that removes nulls. */
async function asks(place: CronJobPlace): Promise<void> {
  await eventually(async () => {
    const { body } = await place.apply('asked', specWith({ volumes: null }), { query: 'dryRun=All' });
    expect(body.message).toBeUndefined();
  });
}

test('with the defaulting webhook, every field may be null, and no null is stored', async () => {
  // No Job could be created from samples of every field.
  await using webhook = await WebhookScene.open((webhooks) => {
    webhooks.for(cronJobs, { name: 'defaults.example.com', default: defaultCronJob });
  });
  const place = new CronJobPlace(api, webhook.scene.namespace);
  await asks(place);
  const stored = await Promise.all(nullDocuments().map((document) => expectAbsent(place, document)));
  expect(stored.filter((nulls) => nulls > 0)).toEqual([]);
});

describe('with the webhooks of the manager, as in batch/v1', () => {
  let cluster: ClusterClient;
  beforeAll(() => {
    cluster = connect(inject('kubeconfig'));
  });
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

  test('a field that is used may be null where it may be absent', async () => {
    await using places = await openPlaces();
    const { ours, theirs } = places;
    const query = { query: 'dryRun=All' };
    const tryOut = async ({ title, spec, withoutNulls }: NullDocument) => {
      const [own, ownWithout, their] = await Promise.all([
        ours.apply('turn', spec, query),
        ours.apply('turn', withoutNulls, query),
        theirs.apply('turn', spec, query),
      ]);
      const { message } = own.body;
      expect([message, own.body.spec], title).toEqual([ownWithout.body.message, ownWithout.body.spec]);
      expect(own.code < 300, `${title}: ${message}; batch/v1: ${their.body.message}`).toBe(their.code < 300);
    };
    await Promise.all(nullInTurn().map(tryOut));
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
        // The API server sets more defaults in a batch/v1 CronJob, and shows no list or map that is empty.
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
