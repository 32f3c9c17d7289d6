/** Requests whose responses of the fake API server are compared with the responses of a real API server. */
import {
  apiRule,
  apps,
  batch,
  conditions,
  coordination,
  core,
  defineKind,
  duration,
  int32,
  int64,
  intOrString,
  type KubernetesObject,
  networking,
  objectReference,
  objectSelector,
  policy,
  quantity,
  type Resource,
  rbac,
  time,
} from 'controller-runtime';
import { z } from 'zod';

export const Gadget = defineKind({
  group: 'fake.example.com',
  version: 'v1',
  kind: 'Gadget',
  name: { maxLength: 20, message: 'must have at most 20 characters' },
  spec: z.object({
    engine: z.enum(['postgres', 'mysql']),
    label: z
      .string()
      .min(2)
      .max(10)
      .regex(/^[a-z]+$/)
      .optional(),
    replicas: int32().min(0).max(5).default(1),
    size: int64().optional(),
    ratio: z.number().gt(0).lt(1).optional(),
    even: z.number().multipleOf(2).optional(),
    isOn: z.boolean().optional(),
    at: time().optional(),
    id: z.uuid().optional(),
    address: z.ipv4().optional(),
    port: intOrString().optional(),
    storage: quantity().optional(),
    timeout: duration().optional(),
    store: z
      .discriminatedUnion('kind', [
        z.object({
          kind: z.literal('S3'),
          bucket: z.string(),
          region: z.string().optional(),
          tier: int32().default(1),
        }),
        z.object({ kind: z.enum(['Disk', 'Tape']), path: z.string(), namespace: z.string(), tier: int32().default(1) }),
        apiRule(z.object({ kind: z.literal('None'), tier: int32().default(1) }), {
          rule: 'self.tier < 3',
          message: 'tier must be less than 3',
          isValid: ({ tier }) => tier < 3,
        }),
      ])
      .optional(),
    selector: objectSelector().optional(),
    target: objectReference().optional(),
    tags: z.array(z.string()).min(1).max(3).meta({ 'x-kubernetes-list-type': 'set' }).optional(),
    parts: z
      .array(z.object({ name: z.string(), count: int32().min(0).default(1) }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .optional(),
    numbers: z.array(int32().max(9)).optional(),
    limits: z.record(z.string(), int32().min(0)).optional(),
    backup: z
      .object({ schedule: z.string(), keep: int32().default(7), hours: z.array(int32()).default([1]) })
      .optional(),
    range: apiRule(z.object({ min: int32(), max: int32() }), {
      rule: 'self.min <= self.max',
      message: 'min must not be greater than max',
      isValid: ({ min, max }) => min <= max,
    }).optional(),
    fixed: apiRule(z.string(), {
      rule: 'self == oldSelf',
      message: 'must not change',
      isValid: (value, oldValue) => value === oldValue,
    }).optional(),
    extra: z.looseObject({ a: int32().optional() }).optional(),
    anything: z.unknown().optional(),
    maybe: z.string().nullable().optional(),
  }),
  status: z.object({ ready: int32().min(0).optional(), conditions: conditions() }),
});

/** A cluster-scoped kind without a status. */
export const Slab = defineKind({
  group: 'fake.example.com',
  version: 'v1',
  kind: 'Slab',
  scope: 'Cluster',
  spec: z.object({ weight: int32().optional() }),
});

/** A CRD as others write it, with constraints that defineKind does not write. */
export const CHOICE_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'choices.fake.example.com' },
  spec: {
    group: 'fake.example.com',
    names: { kind: 'Choice', listKind: 'ChoiceList', plural: 'choices', singular: 'choice' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  a: { type: 'integer' },
                  b: { type: 'integer' },
                  name: { type: 'string', not: { enum: ['default'] }, anyOf: [{ minLength: 3 }, { pattern: '^x' }] },
                  object: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    properties: { spec: { type: 'object' } },
                  },
                },
                oneOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 1 } } }],
              },
            },
          },
        },
      },
    ],
  },
} as const;
const CHOICES = { ...Gadget, kind: 'Choice', plural: 'choices' } as Resource;
const choice = (spec: object) => ({ ...TYPE, kind: 'Choice', metadata: { name: 'a' }, spec });

/** A request, or several that follow each other. */
export interface FakeServerCase {
  readonly name: string;
  /** Object that exists before the request. Default: none. */
  readonly given?: object | undefined;
  /** Whether the object is deleted before the request, and has a finalizer. */
  readonly isPending?: true;
  /** Default: Gadget. */
  readonly resource?: Resource;
  readonly request: CaseRequest;
}

export interface CaseRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Added to the path of the object, or of the collection for POST: such as `/status`. Default: nothing. */
  readonly path?: string;
  /** Default: nothing. */
  readonly query?: Readonly<Record<string, string>>;
  /** Content type of a PATCH. */
  readonly patch?: 'merge' | 'json' | 'apply' | 'strategic';
  /** The body; a function gets the stored object. */
  readonly body?: unknown | ((stored: KubernetesObject & { readonly spec: object }) => unknown);
}

const TYPE = { apiVersion: 'fake.example.com/v1', kind: 'Gadget' };
const gadget = (spec: unknown, metadata: object = {}, rest: object = {}) => ({
  ...TYPE,
  metadata: { name: 'a', ...metadata },
  spec,
  ...rest,
});
const VALID = { engine: 'mysql' };
const RANGE = { min: 1, max: 2 };

const create = (name: string, body: unknown, query?: CaseRequest['query']): FakeServerCase => ({
  name: `create: ${name}`,
  request: { method: 'POST', body, ...(query && { query }) },
});
const createSpec = (name: string, spec: object) => create(name, gadget({ ...VALID, ...spec }));
type Stored = KubernetesObject & { readonly spec: object };
const update = (name: string, given: object, change: (stored: Stored) => object, path = ''): FakeServerCase => ({
  name: `update: ${name}`,
  given,
  request: { method: 'PUT', path, body: change as CaseRequest['body'] },
});
const patch = (
  name: string,
  kind: NonNullable<CaseRequest['patch']>,
  body: unknown,
  given: object | undefined = gadget(VALID),
  path = '',
) => ({
  name: `${kind} patch: ${name}`,
  given,
  request: {
    method: 'PATCH',
    path,
    patch: kind,
    body,
    ...(kind === 'apply' && { query: { fieldManager: 'test', force: 'true' } }),
  } as const,
});
const withSpec = (spec: object) => (stored: Stored) => ({ ...stored, spec: { ...stored.spec, ...spec } });
const withMetadata = (metadata: object) => (stored: Stored) => ({
  ...stored,
  metadata: { ...stored.metadata, ...metadata },
});

const pending = (row: FakeServerCase): FakeServerCase => ({ ...row, name: `pending, ${row.name}`, isPending: true });
const at = (resource: Resource, row: FakeServerCase): FakeServerCase => ({
  ...row,
  name: `${resource.plural}, ${row.name}`,
  resource,
});
const FINALIZED = gadget(VALID, { finalizers: ['example.com/a'] });
const SLAB = { ...TYPE, kind: 'Slab', metadata: { name: 'a' }, spec: { weight: 1 } };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name: 'a' },
  stringData: { password: 'a' },
  data: { user: 'Yg==' },
};

export const CASES: readonly FakeServerCase[] = [
  createSpec('minimal', {}),
  createSpec('defaults in an object', { backup: { schedule: 'x' } }),
  createSpec('no default in an absent object', {}),
  createSpec('null for a default', { replicas: null, label: null, backup: { schedule: 'x', keep: null } }),
  createSpec('null for a required field', { backup: { schedule: null } }),
  createSpec('null for a nullable field', { maybe: null }),
  createSpec('null in a list', { numbers: [null], tags: ['a', null] }),
  createSpec('null for a list and a map', { numbers: null, limits: null, extra: null, anything: null }),
  createSpec('null in a map', { limits: { a: null, b: 1 } }),
  createSpec('unknown fields', { color: 'red', backup: { schedule: 'x', color: 'red' }, parts: [{ name: 'a', x: 1 }] }),
  createSpec('unknown fields in a loose object', { extra: { a: 1, b: { c: null } }, anything: { d: [null] } }),
  create('unknown fields of the object and its metadata', gadget(VALID, { color: 'red' }, { color: 'red' })),
  create('unknown fields, strictly', gadget({ ...VALID, color: 'red' }), { fieldValidation: 'Strict' }),
  create('known fields, strictly', gadget(VALID), { fieldValidation: 'Strict' }),
  create('dry run', gadget(VALID), { dryRun: 'All' }),
  create('a status', gadget(VALID, {}, { status: { ready: 1 } })),
  create('a wrong status', gadget(VALID, {}, { status: { ready: 'x' } })),
  create('without spec', { ...TYPE, metadata: { name: 'a' } }),
  create('a spec of null', gadget(null)),
  create('a spec that is a text', gadget('x')),
  create('a spec that is a list', gadget([])),
  createSpec('not in the enum', { engine: 'oracle' }),
  createSpec('null for an enum', { engine: null }),
  create('a required field is missing', gadget({})),
  createSpec('a required field in a list is missing', { parts: [{ count: 1 }] }),
  createSpec('too short', { label: 'a' }),
  createSpec('too long', { label: 'abcdefghijk' }),
  createSpec('too long, but not in characters', { label: 'ääääääää' }),
  createSpec('not the pattern', { label: 'ABC' }),
  createSpec('two faults in one field', { label: 'A' }),
  createSpec('too small', { replicas: -1 }),
  createSpec('too large', { replicas: 6 }),
  createSpec('exclusive bounds', { ratio: 1 }),
  createSpec('no multiple', { even: 3 }),
  createSpec('not an int32', { numbers: [-3_000_000_000] }),
  createSpec('a large int64', { size: 9_007_199_254_740_991 }),
  createSpec('a fraction', { replicas: 1.5 }),
  createSpec('a whole fraction', { replicas: 2.0 }),
  createSpec('a text for a number', { replicas: '1' }),
  createSpec('a number for a text', { label: 1 }),
  createSpec('a text for a boolean', { isOn: 'true' }),
  createSpec('a text for a list', { tags: 'a' }),
  createSpec('a list for an object', { backup: [] }),
  createSpec('an object for a text', { label: { a: 1 } }),
  createSpec('wrong elements', { numbers: ['a', 10, 1] }),
  createSpec('wrong values in a map', { limits: { a: 'x', 'b.c/d': -1 } }),
  createSpec('int or string', { port: 'http' }),
  createSpec('int or string as integer', { port: 80 }),
  createSpec('int or string as fraction', { port: 1.5 }),
  createSpec('int or string as boolean', { port: true }),
  ...['1Gi', '500m', '1e3', '.5', '1 GB', '1K', 1, 1.5].map((storage) =>
    createSpec(`the quantity ${JSON.stringify(storage)}`, { storage }),
  ),
  ...['90s', '1h30m', '1.5h', '5', '-5s', '1d', ''].map((timeout) =>
    createSpec(`the duration "${timeout}"`, { timeout }),
  ),
  ...[
    { kind: 'S3', bucket: 'a' },
    { kind: 'S3', bucket: 'a', region: 'b', tier: 2 },
    { kind: 'S3' },
    { kind: 'S3', bucket: 'a', path: '/b' },
    { kind: 'S3', path: '/b', namespace: 'c' },
    { kind: 'Tape', path: '/a', namespace: 'c' },
    { kind: 'Disk', path: '/a' },
    { kind: 'None' },
    { kind: 'None', region: 'a' },
    { kind: 'None', tier: 3 },
    { kind: 'Ftp', bucket: 'a' },
    { bucket: 'a' },
    { kind: 'S3', bucket: 1 },
    { kind: 'S3', bucket: 'a', region: null },
    { kind: 'S3', bucket: 'a', path: null },
  ].map((store) => createSpec(`the union ${JSON.stringify(store)}`, { store })),
  createSpec('a selector and a reference', {
    selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
    target: { apiVersion: 'v1', kind: 'Secret', name: 'a' },
  }),
  createSpec('a wrong selector and a wrong reference', {
    selector: { matchExpressions: [{ operator: 'Equals' }] },
    target: { name: 'a' },
  }),
  createSpec('a time', { at: '2026-01-01T00:00:00Z' }),
  createSpec('a time with an offset and a fraction', { at: '2026-01-01T00:00:00.123+02:00' }),
  createSpec('a time without a zone', { at: '2026-01-01T00:00:00' }),
  createSpec('a date for a time', { at: '2026-01-01' }),
  createSpec('a time that does not exist', { at: '2026-13-01T00:00:00Z' }),
  createSpec('not a UUID', { id: 'x' }),
  createSpec('not an address', { address: '1.2.3.400' }),
  createSpec('too many items', { tags: ['a', 'b', 'c', 'd'] }),
  createSpec('too few items', { tags: [] }),
  createSpec('duplicates in a set', { tags: ['a', 'b', 'a'] }),
  createSpec('duplicates in a list map', { parts: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }),
  createSpec('a rule that holds', { range: RANGE }),
  createSpec('a rule that does not hold', { range: { min: 2, max: 1 } }),
  createSpec('a rule and a bound that do not hold', { range: { min: 2, max: 1 }, replicas: 9 }),
  createSpec('a rule and a type that do not hold', { range: { min: 2, max: 1 }, replicas: 'x' }),
  createSpec('a transition rule', { fixed: 'a' }),
  create('a name that is too long for the kind', gadget(VALID, { name: 'a'.repeat(21) })),
  create('a name that is not a subdomain', gadget(VALID, { name: 'A_b' })),
  create('no name', { ...gadget(VALID), metadata: {} }),
  create('no metadata', { ...TYPE, spec: VALID }),
  create('a generated name', { ...gadget(VALID), metadata: { generateName: 'b-' } }),
  create('the wrong namespace', gadget(VALID, { namespace: 'default' })),
  create('the wrong kind', { ...gadget(VALID), kind: 'Widget' }),
  create('no kind', { ...gadget(VALID), kind: undefined }),
  create('the wrong version', { ...gadget(VALID), apiVersion: 'fake.example.com/v2' }),
  create('a resource version', gadget(VALID, { resourceVersion: '1' })),
  create('a UID, a generation and times', gadget(VALID, { uid: 'u', generation: 7, creationTimestamp: null })),
  create('a deletion timestamp', gadget(VALID, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.b/c'] })),
  create('labels and annotations', gadget(VALID, { labels: { a: 'b', 'c.d/e': '' }, annotations: { 'F.g/h': '1 2' } })),
  create('wrong labels', gadget(VALID, { labels: { a: 'b c', '-a': 'b', 'c/d/e': '' } })),
  create('a label that is too long', gadget(VALID, { labels: { a: 'b'.repeat(64) } })),
  create('wrong annotations', gadget(VALID, { annotations: { 'a b': '' } })),
  create('a number as label', gadget(VALID, { labels: { a: 1 } })),
  create('a list as labels', gadget(VALID, { labels: [] })),
  create('null as label', gadget(VALID, { labels: { a: null } })),
  create('finalizers', gadget(VALID, { finalizers: ['example.com/a'] })),
  create('a finalizer without a domain', gadget(VALID, { finalizers: ['a'] })),
  create('owners', gadget(VALID, { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'b', uid: 'c' }] })),
  create('an owner without a UID', gadget(VALID, { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'b' }] })),
  create(
    'two controllers',
    gadget(VALID, {
      ownerReferences: ['b', 'c'].map((name) => ({ apiVersion: 'v1', kind: 'A', name, uid: name, controller: true })),
    }),
  ),
  { name: 'create: exists', given: gadget(VALID), request: { method: 'POST', body: gadget(VALID) } },
  { name: 'create: exists and is not valid', given: gadget(VALID), request: { method: 'POST', body: gadget({}) } },

  update('nothing', gadget(VALID), (stored) => stored),
  update('the spec', gadget(VALID), withSpec({ replicas: 3 })),
  update('metadata', gadget(VALID), withMetadata({ labels: { a: 'b' }, annotations: { c: 'd' } })),
  update('the status through the object', gadget(VALID), (stored) => ({ ...stored, status: { ready: 1 } })),
  update('a wrong status through the object', gadget(VALID), (stored) => ({ ...stored, status: { ready: 'x' } })),
  update('the status', gadget(VALID), (stored) => ({ ...stored, status: { ready: 1, color: 'red' } }), '/status'),
  update('a wrong status', gadget(VALID), (stored) => ({ ...stored, status: { ready: -1 } }), '/status'),
  update(
    'a status with a condition',
    gadget(VALID),
    (stored) => ({ ...stored, status: { conditions: [{ type: 'A' }] } }),
    '/status',
  ),
  update('the spec through the status', gadget(VALID), withSpec({ replicas: 3 }), '/status'),
  update('labels through the status', gadget(VALID), withMetadata({ labels: { a: 'b' } }), '/status'),
  update(
    'only the status in the body',
    gadget(VALID),
    ({ metadata: { name, resourceVersion } }) => ({
      ...TYPE,
      metadata: { name, resourceVersion },
      status: { ready: 1 },
    }),
    '/status',
  ),
  update('not valid', gadget(VALID), withSpec({ replicas: 9 })),
  update('a required field is gone', gadget(VALID), withSpec({ engine: undefined })),
  update('an old version', gadget(VALID), withMetadata({ resourceVersion: '1' })),
  update('no version', gadget(VALID), withMetadata({ resourceVersion: undefined })),
  update('no version in the status', gadget(VALID), withMetadata({ resourceVersion: undefined }), '/status'),
  update('another UID', gadget(VALID), withMetadata({ uid: 'x' })),
  update('another name', gadget(VALID), withMetadata({ name: 'b' })),
  update('another generation', gadget(VALID), withMetadata({ generation: 9 })),
  update('a deletion timestamp', gadget(VALID), withMetadata({ deletionTimestamp: '2026-01-01T00:00:00Z' })),
  update('a rule that does not hold', gadget({ ...VALID, range: RANGE }), withSpec({ range: { min: 3, max: 2 } })),
  update('a transition rule that holds', gadget({ ...VALID, fixed: 'a' }), withSpec({ replicas: 2 })),
  update('a transition rule that does not hold', gadget({ ...VALID, fixed: 'a' }), withSpec({ fixed: 'b' })),
  update('a transition rule and a new value', gadget(VALID), withSpec({ fixed: 'a' })),
  update('a transition rule and no value', gadget({ ...VALID, fixed: 'a' }), withSpec({ fixed: undefined })),
  update('a subresource that does not exist', gadget(VALID), (stored) => stored, '/scale'),
  { name: 'update: not found', request: { method: 'PUT', body: gadget(VALID, { resourceVersion: '1' }) } },

  patch('the spec', 'merge', { spec: { replicas: 2, label: null } }),
  patch('a default', 'merge', { spec: { replicas: null } }, gadget({ ...VALID, replicas: 3 })),
  patch('nothing', 'merge', {}),
  patch('an unknown field', 'merge', { spec: { color: 'red' } }),
  patch('not valid', 'merge', { spec: { engine: 'oracle' } }),
  patch('an old version', 'merge', { metadata: { resourceVersion: '1' } }),
  patch('the status', 'merge', { spec: { replicas: 3 }, status: { ready: 2 } }, gadget(VALID), '/status'),
  patch('the status through the object', 'merge', { status: { ready: 2 } }),
  { ...patch('not found', 'merge', { spec: {} }), given: undefined },
  patch('add and remove', 'json', [
    { op: 'add', path: '/spec/backup', value: { schedule: 'x' } },
    { op: 'remove', path: '/spec/replicas' },
  ]),
  patch('a test that fails', 'json', [{ op: 'test', path: '/spec/replicas', value: 9 }]),
  patch('remove what is not there', 'json', [{ op: 'remove', path: '/spec/backup' }]),
  patch('replace what is not there', 'json', [{ op: 'replace', path: '/spec/backup', value: {} }]),
  patch('below what is not there', 'json', [{ op: 'add', path: '/spec/backup/keep', value: 1 }]),
  patch('the spec', 'strategic', { spec: { replicas: 2 } }),
  { ...patch('create', 'apply', gadget({ ...VALID, backup: { schedule: 'x' } })), given: undefined },
  { ...patch('create what is not valid', 'apply', gadget({ engine: 'oracle' })), given: undefined },
  { ...patch('the wrong kind', 'apply', { ...gadget(VALID), kind: 'Widget' }), given: undefined },
  patch(
    'another variant',
    'apply',
    gadget({ ...VALID, store: { kind: 'Disk', path: '/a', namespace: 'b' } }),
    gadget({ ...VALID, store: { kind: 'S3', bucket: 'a' } }),
  ),
  patch('change', 'apply', gadget({ engine: 'mysql', replicas: 4 })),
  patch('an unknown field', 'apply', gadget({ engine: 'mysql', color: 'red' })),

  { name: 'get: not found', request: { method: 'GET' } },
  { name: 'get', given: gadget(VALID), request: { method: 'GET' } },
  { name: 'delete', given: gadget(VALID), request: { method: 'DELETE' } },
  { name: 'delete: not found', request: { method: 'DELETE' } },
  {
    name: 'delete: another UID',
    given: gadget(VALID),
    request: { method: 'DELETE', body: { preconditions: { uid: 'x' } } },
  },
  { name: 'delete: dry run', given: gadget(VALID), request: { method: 'DELETE', query: { dryRun: 'All' } } },
  {
    name: 'delete: finalizers',
    given: gadget(VALID, { finalizers: ['example.com/a'] }),
    request: { method: 'DELETE' },
  },

  pending(update('another finalizer', FINALIZED, withMetadata({ finalizers: ['example.com/a', 'example.com/b'] }))),
  pending(update('no finalizer', FINALIZED, withMetadata({ finalizers: [] }))),
  pending(
    update('no finalizer and a spec', FINALIZED, (stored) =>
      withMetadata({ finalizers: [] })({ ...stored, spec: { ...VALID, replicas: 2 } }),
    ),
  ),
  pending(update('the spec', FINALIZED, withSpec({ replicas: 2 }))),
  pending(update('no deletion timestamp', FINALIZED, withMetadata({ deletionTimestamp: undefined }))),
  pending(update('the status', FINALIZED, (stored) => ({ ...stored, status: { ready: 1 } }), '/status')),
  pending({ name: 'delete', given: FINALIZED, request: { method: 'DELETE' } }),
  pending({ name: 'create', given: FINALIZED, request: { method: 'POST', body: gadget(VALID) } }),
  pending(patch('no finalizer', 'merge', { metadata: { finalizers: null } }, FINALIZED)),

  ...[
    { a: 1 },
    { b: 1 },
    { b: 0 },
    { a: 1, b: 1 },
    { a: 1, b: 0 },
    {},
    { a: 1, name: 'default' },
    { a: 1, name: 'x' },
    { a: 1, name: 'y' },
    { a: 1, object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', x: 1 }, spec: { x: 1 }, x: 1 } },
  ].map((spec) => at(CHOICES, create(JSON.stringify(spec), choice(spec)))),

  at(Slab, create('a status without a subresource', { ...SLAB, status: { ready: 1 } })),
  at(
    Slab,
    update('the status without a subresource', SLAB, (stored) => ({ ...stored, status: { ready: 1 } }), '/status'),
  ),
  at(
    Slab,
    update('nothing', SLAB, (stored) => ({ ...stored, spec: { weight: 1 } })),
  ),
  at(Slab, update('the spec', SLAB, withSpec({ weight: 2 }))),
  at({ ...Slab, namespaced: true }, create('a cluster-scoped kind in a namespace', SLAB)),
  at({ ...Gadget, namespaced: false } as Resource, create('a namespaced kind without a namespace', gadget(VALID))),
  at({ ...Gadget, version: 'v2' } as Resource, create('at another version', gadget(VALID))),
  at({ ...Gadget, plural: 'widgets' }, create('of another kind', gadget(VALID))),

  at(core.v1.secrets, create('stringData', SECRET)),
  at(
    core.v1.secrets,
    update('stringData', SECRET, (stored) => ({ ...stored, stringData: { password: 'b' } })),
  ),
  at(core.v1.secrets, patch('stringData', 'apply', { ...SECRET, stringData: { password: 'b' } }, SECRET)),
  at(core.v1.configMaps, create('a status', { ...CONFIG_MAP, status: {} })),
  at(core.v1.configMaps, create('wrong labels', { ...CONFIG_MAP, metadata: { name: 'a', labels: { a: 'b c' } } })),
  at(
    core.v1.configMaps,
    create('a resource version', { ...CONFIG_MAP, metadata: { name: 'a', resourceVersion: '1' } }),
  ),
  at(
    core.v1.configMaps,
    update('data', CONFIG_MAP, (stored) => ({ ...stored, data: { b: 'c' } })),
  ),
  at(core.v1.configMaps, update('no version', CONFIG_MAP, withMetadata({ resourceVersion: undefined }))),
  at(core.v1.configMaps, update('an old version', CONFIG_MAP, withMetadata({ resourceVersion: '1' }))),
];

const METADATA = { metadata: { name: 'a' } };
const POD = { containers: [{ name: 'a', image: 'b' }] };
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: POD };
const SELECTED = { selector: { matchLabels: { app: 'a' } }, template: TEMPLATE };

/** Valid objects of built-in kinds. */
export const BUILT_IN: readonly (readonly [Resource, object])[] = [
  [core.v1.configMaps, {}],
  [core.v1.secrets, {}],
  [core.v1.serviceAccounts, {}],
  [core.v1.services, { spec: { ports: [{ port: 80 }] } }],
  [core.v1.pods, { spec: POD }],
  [
    core.v1.persistentVolumeClaims,
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  ],
  [apps.v1.deployments, { spec: SELECTED }],
  [apps.v1.statefulSets, { spec: { ...SELECTED, serviceName: 'a' } }],
  [apps.v1.daemonSets, { spec: SELECTED }],
  [batch.v1.jobs, { spec: { template: { spec: { ...POD, restartPolicy: 'Never' } } } }],
  [networking.v1.networkPolicies, { spec: { podSelector: {} } }],
  [networking.v1.ingresses, { spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } }],
  [policy.v1.podDisruptionBudgets, { spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } }],
  [coordination.v1.leases, { spec: {} }],
  [rbac.v1.roles, { rules: [] }],
  [rbac.v1.roleBindings, { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } }],
].map(([resource, object]) => [resource as Resource, { ...METADATA, ...object }] as const);
