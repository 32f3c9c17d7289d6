import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { Website } from '../test-support/websites.ts';
import { storedObject } from '../testing/stored-object.ts';
import { convertObject } from './convert-object.ts';
import { defineKind } from './define-kind.ts';
import { int32 } from './field-types.ts';
import type { ObjectOf, SpecInputOf } from './kind.ts';

const names = { group: 'example.com', version: 'v1', kind: 'Website' } as const;
const { v1alpha1 } = Website.versions;
type WebsiteV1 = ObjectOf<typeof Website>;
type WebsiteV1Alpha1 = ObjectOf<typeof v1alpha1>;

const blog = storedObject(v1alpha1, {
  metadata: { name: 'blog', labels: { app: 'blog' }, finalizers: ['example.com/keep'] },
  spec: { image: 'nginx', size: 'large' },
  status: { readyReplicas: 2 },
});

describe('a further version', () => {
  test('is a kind of its own for clients, and only the hub has versions', () => {
    const { group, version, kind, plural, served, storage, deprecated, printerColumns } = v1alpha1;
    expect({ group, version, kind, plural, served, storage, deprecated }).toEqual({
      ...{ group: 'example.com', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
      ...{ served: true, storage: false, deprecated: 'use v1' },
    });
    expect(printerColumns).toMatchObject([{ name: 'Age' }]);
    expect(Website).toMatchObject({ version: 'v1', served: true });
    expect(Website).not.toHaveProperty('deprecated');
    expect(v1alpha1.versions).toEqual({});
    expect(v1alpha1.schema.faults({ spec: { image: 'nginx', size: 'huge' } })).toMatchObject([{ field: 'spec.size' }]);
  });

  test('has types of its own, and shares the status of the hub', () => {
    expectTypeOf<WebsiteV1['spec']>().toEqualTypeOf<{ readonly image: string; readonly replicas: number }>();
    expectTypeOf<WebsiteV1Alpha1['apiVersion']>().toEqualTypeOf<'example.com/v1alpha1'>();
    expectTypeOf<WebsiteV1Alpha1['spec']>().toEqualTypeOf<{
      readonly image: string;
      readonly size: 'small' | 'large';
    }>();
    expectTypeOf<WebsiteV1Alpha1['status']>().toEqualTypeOf<WebsiteV1['status']>();
    expectTypeOf<SpecInputOf<typeof v1alpha1>>().toExtend<{ readonly size?: 'small' | 'large' | undefined }>();
    // @ts-expect-error: there is no such version
    expect(Website.versions.v9).toBeUndefined();
  });

  test('does not compile if a conversion returns a wrong field, or forgets a status of its own', () => {
    const other = { version: 'v2', spec: z.object({ size: int32() }) } as const;
    const hub = defineKind({ ...names, spec: z.object({ count: int32() }), status: z.object({ ready: int32() }) });
    hub.withVersion(other).withConversion({
      // @ts-expect-error: a string is not a number
      toHub: ({ spec }) => ({ spec: { count: String(spec.size) } }),
      fromHub: ({ spec }) => ({ spec: { size: spec.count } }),
    });
    hub.withVersion({ ...other, status: z.object({ up: z.boolean() }) }).withConversion({
      // @ts-expect-error: the status is missing
      toHub: ({ spec }) => ({ spec: { count: spec.size } }),
      fromHub: ({ spec, status }) => ({ spec: { size: spec.count }, status: status && { up: status.ready > 0 } }),
    });
  });
});

describe('a conversion', () => {
  test('sets apiVersion, keeps the status and all metadata except for annotations that it changes', () => {
    const hub = v1alpha1.toHub(blog);
    expectTypeOf(hub).toEqualTypeOf<WebsiteV1>();
    expect(hub).toEqual({
      ...blog,
      apiVersion: 'example.com/v1',
      metadata: { ...blog.metadata, annotations: {} },
      spec: { image: 'nginx', replicas: 10 },
    });
    expect(convertObject(Website, { ...hub, spec: { image: 'nginx', replicas: 3 } } as WebsiteV1, 'v1alpha1')).toEqual({
      ...blog,
      metadata: { ...blog.metadata, annotations: { 'example.com/replicas': '3' } },
      spec: { image: 'nginx', size: 'small' },
    });
  });

  test('cannot change other metadata', () => {
    const renamed = { name: 'other', uid: 'other', labels: { a: 'b' } };
    const Renamer = defineKind({ ...names, spec: z.object({}) })
      .withVersion({ version: 'v2', spec: z.object({}) })
      .withConversion({ toHub: () => ({ metadata: renamed, spec: {} }), fromHub: (object) => object });
    const { finalizers, labels, ...metadata } = Renamer.versions.v2.toHub({
      ...blog,
      apiVersion: 'example.com/v2',
      spec: {},
    }).metadata;
    expect(metadata).toEqual({ ...metadata, name: 'blog', uid: 'uid-of-blog' });
    expect({ finalizers, labels }).toEqual({ finalizers: ['example.com/keep'], labels: { a: 'b' } });
  });

  test('adds no defaults, and passes no null where the type has none', () => {
    const Terse = defineKind({ ...names, spec: z.object({ replicas: int32().default(3) }) })
      .withVersion({ version: 'v2', spec: z.object({ count: int32().default(7), note: z.string().nullable() }) })
      .withConversion({
        toHub: ({ spec }) => {
          expect(spec).toEqual({ note: null });
          return { spec: { replicas: spec.count } };
        },
        fromHub: ({ spec }) => ({ spec: { count: spec.replicas, note: null } }),
      });
    const { v2 } = Terse.versions;
    const object = { ...blog, apiVersion: 'example.com/v2', spec: { count: null, note: null } } as unknown as never;
    expect(v2.toHub(object).spec).toEqual({ replicas: undefined });
  });

  test('of an object without a spec, such as in a status update, changes only the version', () => {
    const { spec: _, ...statusUpdate } = blog;
    const want = { ...statusUpdate, apiVersion: 'example.com/v1' };
    expect(v1alpha1.toHub(statusUpdate as WebsiteV1Alpha1)).toStrictEqual(want);
    expect(v1alpha1.fromHub(want as WebsiteV1)).toStrictEqual(statusUpdate);
  });

  test('between two further versions goes through the hub', () => {
    const Chain = Website.withVersion({
      version: 'v2',
      spec: z.object({ image: z.string(), replicas: z.string() }),
      status: z.object({ ready: z.string() }),
    }).withConversion({
      toHub: ({ spec, status }) => ({
        spec: { image: spec.image, replicas: Number(spec.replicas) },
        status: status && { readyReplicas: Number(status.ready) },
      }),
      fromHub: ({ spec, status }) => ({
        spec: { image: spec.image, replicas: String(spec.replicas) },
        status: { ready: String(status?.readyReplicas) },
      }),
    });
    expect(Object.keys(Chain.versions)).toEqual(['v1alpha1', 'v2']);
    expect(convertObject(Chain, blog, 'v2')).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { image: 'nginx', replicas: '10' },
      status: { ready: '2' },
    });
  });

  const createFailing = (toHub: () => { spec: { count: number } }) =>
    defineKind({ ...names, spec: z.object({ count: int32() }) })
      .withVersion({ version: 'v2', spec: z.object({ size: z.object({ count: int32() }) }) })
      .withConversion({ toHub, fromHub: ({ spec: { count } }) => ({ spec: { size: { count } } }) }).versions.v2;
  const throwing = (error: Error) => () => {
    throw error;
  };
  const asynchronous = (async () => ({ spec: { count: 1 } })) as unknown as () => { spec: { count: number } };
  test.each([
    ['an error of its own', throwing(new Error('huge is not supported')), 'huge is not supported'],
    ['missing fields', throwing(new TypeError('undefined')), 'spec.size: Required value'],
    ['a promise', asynchronous, 'the conversion returned a promise instead of a spec'],
  ])('that fails with %s names the object', (_, toHub, reason) => {
    const object = { ...blog, apiVersion: 'example.com/v2', spec: {} } as unknown as never;
    expect(() => createFailing(toHub).toHub(object)).toThrow(`convert Website default/blog from v2 to v1: ${reason}`);
  });

  test('from or to an unknown version fails', () => {
    expect(() => convertObject(Website, blog, 'v3')).toThrow('Website has no version v3, only v1, v1alpha1');
  });
});

describe('rejects', () => {
  test.each([
    ['a version twice', 'v1alpha1', {}, 'define kind "Website": version v1alpha1 is defined twice'],
    ['the version of the hub', 'v1', {}, 'version v1 is defined twice'],
    ['a malformed version', '2', {}, 'version "2" must be a version such as v1'],
    ['a spec that is not an object', 'v2', { spec: z.string() }, 'spec must be an object'],
  ])('%s', (_, version, differences, message) => {
    expect(() => Website.withVersion({ spec: z.object({}), ...differences, version } as never)).toThrow(message);
  });

  test('two storage versions', () => {
    const define = (version: string) => ({ version, spec: z.object({}), storage: true });
    const conversion = { toHub: () => ({ spec: { image: 'a', replicas: 1 } }), fromHub: () => ({ spec: {} }) };
    const stored = Website.withVersion(define('v2')).withConversion(conversion);
    expect(() => stored.withVersion(define('v3'))).toThrow('both v2 and v3 are the storage version');
  });
});
