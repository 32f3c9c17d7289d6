import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineKind } from '../schema/define-kind.ts';
import { int32 } from '../schema/field-types.ts';
import type { Draft } from './admission.ts';
import { withDefaults } from './with-defaults.ts';

const DEFAULTS = { spec: { color: 'blue', tags: ['a'], size: { width: 1, height: 2 } } };

test.each<[name: string, draft: object, want: object]>([
  ['what is missing', { spec: { size: {} } }, DEFAULTS],
  ['null', { spec: { color: null, tags: null, size: { width: null } } }, DEFAULTS],
  [
    'nothing that has a value',
    { a: 1, spec: { color: '', tags: [], size: { width: 0, depth: 3 } } },
    { a: 1, spec: { color: '', tags: [], size: { width: 0, height: 2, depth: 3 } } },
  ],
  ['nothing of what has a wrong type', { spec: 5 }, { spec: 5 }],
  ['nothing of what is a list', { spec: ['x'] }, { spec: ['x'] }],
  ['no object that is missing', {}, {}],
  ['no object that is null', { spec: null }, { spec: undefined }],
])('fills in %s', (_, draft, want) => {
  expect(withDefaults(draft, DEFAULTS)).toEqual(want);
});

test('leaves the draft as it is', () => {
  const draft = Object.freeze({ spec: Object.freeze({ size: Object.freeze({}) }) });
  withDefaults(draft, DEFAULTS);
  expect(draft).toEqual({ spec: { size: {} } });
});

test('the defaults have the types of the fields', () => {
  const Database = defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Database',
    spec: z.object({
      engine: z.enum(['postgres', 'mysql']),
      version: z.string().optional(),
      replicas: int32().default(1),
      storage: z.object({ size: z.string(), labels: z.record(z.string(), z.string()).optional() }),
    }),
  });
  const defaultDatabase = (draft: Draft<typeof Database>): Draft<typeof Database> => {
    expectTypeOf(draft.spec.engine).toEqualTypeOf<'postgres' | 'mysql'>();
    expectTypeOf(draft.spec.replicas).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: there is no field verson
    withDefaults(draft, { spec: { verson: '17' } });
    // @ts-expect-error: replicas is a number
    withDefaults(draft, { spec: { replicas: 'three' } });
    return withDefaults(draft, {
      spec: {
        version: draft.spec.engine === 'mysql' ? '9' : '17',
        storage: { labels: { name: draft.metadata.name ?? '' } },
      },
    });
  };
  const draft = {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: { name: 'shop' },
    spec: { engine: 'mysql', storage: { size: '1Gi' } },
  } as const;
  expect(defaultDatabase(draft).spec).toEqual({ engine: 'mysql', version: '9', storage: { size: '1Gi' } });
});
