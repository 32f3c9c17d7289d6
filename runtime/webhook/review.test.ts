import { describe, expect, test } from 'vitest';
import { type FieldError, invalid, required } from '../kubernetes/field-error.ts';
import { type Widget, widget, widgets, withDeletionTimestamp } from '../test-support/objects.ts';
import { admissionContext } from '../testing/admission-context.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { type AdmissionContext, type AdmissionWebhooks, InvalidError, type ObjectSchema } from './admission.ts';
import type { ReviewedOperation } from './admission-review.ts';
import { WebhookRegistry } from './webhook-registry.ts';
import { withDefaults } from './with-defaults.ts';

/** A colour is text. Faults at a path that an update does not change are ignored. */
const schema: ObjectSchema = {
  faults: (object, old) => {
    const [{ color, size }, before] = [getSpec(object), old === undefined ? {} : getSpec(old)];
    const faults: FieldError[] = [];
    if (typeof color !== 'string' && (old === undefined || color !== before.color))
      faults.push(invalid('spec.color', color, 'must be text'));
    if (size !== undefined && size !== 1 && size !== before.size) faults.push(invalid('spec.size', size, 'must be 1'));
    return faults;
  },
};

const getSpec = (object: unknown) => (object as { spec?: { color?: unknown; size?: unknown } }).spec ?? {};

const withSpec = (spec: unknown) => ({ ...widget(), spec }) as unknown as Widget;
const create = (object: object) => ({ kind: 'CREATE', object: object as Widget }) as const;
const update = (object: object, old: object) =>
  ({ kind: 'UPDATE', object: object as Widget, old: old as Widget }) as const;

interface ReviewSetup {
  readonly schema?: ObjectSchema;
  readonly isCustomResource?: boolean;
  readonly context?: Partial<AdmissionContext>;
  /** Name in the request. Default `a`. */
  readonly name?: string;
}

/** The answer of the widgets' webhook at `path`. */
async function reviewAt(
  path: string,
  webhooks: AdmissionWebhooks<Widget>,
  operation: ReviewedOperation,
  setup: ReviewSetup,
) {
  const registry = new WebhookRegistry();
  const { schema, isCustomResource = false, name = 'a' } = setup;
  registry.for({ ...widgets, isCustomResource, ...(schema && { schema }) }, webhooks);
  return registry.get(path)!.review({ operation, name }, admissionContext(setup.context));
}

const mutate = (webhooks: AdmissionWebhooks<Widget>, operation: ReviewedOperation, setup: ReviewSetup = {}) =>
  reviewAt('/mutate-example-com-v1-widget', webhooks, operation, setup);
const validate = (webhooks: AdmissionWebhooks<Widget>, operation: ReviewedOperation, setup: ReviewSetup = {}) =>
  reviewAt('/validate-example-com-v1-widget', webhooks, operation, setup);

const refusal = (...causes: readonly FieldError[]) => ({
  allowed: false,
  status: { code: 422, reason: 'Invalid', details: { name: 'a', causes } },
});

describe('a defaulter of a kind without a schema', () => {
  const fill: AdmissionWebhooks<Widget> = { default: (draft) => withDefaults(draft, { spec: { color: 'blue' } }) };

  test.each([[undefined], [null], [5], ['text'], [[]]])('gets an object whose spec is %j', async (spec) => {
    expect(await mutate(fill, create(withSpec(spec)))).toMatchObject({ allowed: true });
  });

  test('may modify the object itself', async () => {
    const own: AdmissionWebhooks<Widget> = { default: (draft) => Object.assign(draft, { spec: { color: 'green' } }) };
    const { patch } = await mutate(own, create(widget()));
    expect(patch).toEqual([{ op: 'replace', path: '/spec/color', value: 'green' }]);
  });

  test.each([
    ['a change of an object that is being deleted', update(withDeletionTimestamp(withSpec({})), widget())],
    ['a deletion', { kind: 'DELETE', old: widget() } as const],
  ])('does not get %s', async (_, operation) => {
    expect(await mutate(fill, operation)).toEqual({ allowed: true });
  });

  test('rejects an object with a field error', async () => {
    const error = required('spec', 'give a color');
    const defaulter: AdmissionWebhooks<Widget> = {
      default: (draft) => {
        if (draft.spec === undefined) throw new InvalidError(error);
        return draft;
      },
    };
    expect(await mutate(defaulter, create(withSpec(undefined)))).toMatchObject(refusal(error));
  });

  test('may be asynchronous, and gets the user', async () => {
    const defaulter: AdmissionWebhooks<Widget> = {
      default: async (draft, { user }) => {
        await Promise.resolve();
        return withDefaults(draft, { spec: { color: user.username } });
      },
    };
    const user = { username: 'jane', uid: '', groups: [], extra: {} };
    const { patch } = await mutate(defaulter, create(withSpec({})), { context: { user } });
    expect(patch).toEqual([{ op: 'add', path: '/spec/color', value: 'jane' }]);
  });

  test('fails the request when it throws anything else', async () => {
    const defaulter: AdmissionWebhooks<Widget> = { default: () => Promise.reject(new TypeError('no such thing')) };
    await expect(mutate(defaulter, create(widget()))).rejects.toThrow('no such thing');
  });
});

describe('a defaulter of a kind with a schema', () => {
  const shout: AdmissionWebhooks<Widget> = {
    // The schema ensures that there is a colour, and that it is text.
    default: (draft) => ({ ...draft, spec: { color: (draft as Widget).spec.color.toUpperCase() } }),
  };
  const loud = [{ op: 'replace', path: '/spec/color', value: 'RED' }];

  test.each<[name: string, spec: unknown, value: unknown]>([
    ['nothing', undefined, undefined],
    ['a number', { color: 5 }, 5],
    ['null', { color: null }, null],
  ])('does not get an object with %s instead of a string: it is rejected', async (_, spec, value) => {
    const error = invalid('spec.color', value, 'must be text');
    expect(await mutate(shout, create(withSpec(spec)), { schema })).toMatchObject(refusal(error));
  });

  test('gets an update that fits the schema', async () => {
    expect(await mutate(shout, create(widget()), { schema })).toEqual({ allowed: true, patch: loud });
    expect(await mutate(shout, update(widget(), withSpec({ color: 5 })), { schema })).toMatchObject({ patch: loud });
  });

  test('does not get an update that keeps an old error, which passes with a warning', async () => {
    const old = withSpec({ color: 5 });
    expect(await mutate(shout, update(withSpec({ color: 5, size: 1 }), old), { schema })).toEqual({
      allowed: true,
      warnings: [
        'spec.color: Invalid value: 5: must be text; the webhook adds no defaults until you correct this field',
      ],
      patch: [],
    });
  });

  test('does not get an update with a new error: it is rejected for that error only', async () => {
    const operation = update(withSpec({ color: 5, size: 2 }), withSpec({ color: 5 }));
    expect(await mutate(shout, operation, { schema })).toMatchObject(refusal(invalid('spec.size', 2, 'must be 1')));
  });
});

describe('a defaulter of a custom resource', () => {
  const custom: ReviewSetup = { isCustomResource: true };
  const nulls = { color: 'red', size: null, list: [null, { a: null }] };
  const removals = ['/spec/size', '/spec/list/1/a'].map((path) => ({ op: 'remove', path }));

  test('gets no null fields, and the patch removes them', async () => {
    const drafts: unknown[] = [];
    const keep: AdmissionWebhooks<Widget> = {
      default: (draft) => {
        drafts.push(structuredClone(draft));
        return draft;
      },
    };
    expect(await mutate(keep, create(withSpec(nulls)), custom)).toEqual({ allowed: true, patch: removals });
    expect(drafts).toEqual([withSpec({ color: 'red', list: [null, {}] })]);
  });

  test('gets no empty fields of the metadata that the API server omits', async () => {
    const { metadata } = widget();
    const empty = { labels: { a: null }, annotations: {}, finalizers: [], ownerReferences: [], managedFields: [] };
    const object = { ...withSpec({ color: 'red' }), metadata: { ...metadata, ...empty } };
    const names = ['labels', 'annotations', 'finalizers', 'ownerReferences'];
    const patch = names.map((name) => ({ op: 'remove', path: `/metadata/${name}` }));
    const answer = await mutate({ default: (draft) => draft }, create(object), custom);
    expect(answer).toEqual({ allowed: true, patch });
  });

  test('does not get an object with an old error, but the patch removes nulls', async () => {
    const operation = update(withSpec({ ...nulls, color: 5 }), withSpec({ color: 5 }));
    const tolerant: ObjectSchema = { faults: (object, old) => schema.faults(object, old).slice(0, old ? 0 : 1) };
    const answer = await mutate({ default: (draft) => draft }, operation, { ...custom, schema: tolerant });
    expect(answer).toMatchObject({ allowed: true, patch: removals });
  });

  test('gets a built-in kind as it is', async () => {
    expect(await mutate({ default: (draft) => draft }, create(withSpec(nulls)))).toEqual({ allowed: true, patch: [] });
  });
});

test('an update is rejected if the schema compares it with the old object', async () => {
  const fault = invalid('spec.color', 'blue', 'must not change');
  const fixed: ObjectSchema = {
    faults: (object, old) => (old !== undefined && getSpec(object).color !== getSpec(old).color ? [fault] : []),
  };
  const operation = update(withSpec({ color: 'blue' }), withSpec({ color: 'red' }));
  for (const review of [
    mutate({ default: (draft) => draft }, operation, { schema: fixed }),
    validate({ validate: () => [] }, operation, { schema: fixed }),
  ])
    expect(await review).toMatchObject(refusal(fault));
});

describe('a validator', () => {
  test('gets both objects without nulls', async () => {
    const changes: unknown[] = [];
    const watch: AdmissionWebhooks<Widget> = {
      validate: (change) => {
        changes.push(change);
      },
    };
    const operation = update(withSpec({ color: 'red', size: null }), withSpec({ color: null, list: [null] }));
    expect(await validate(watch, operation)).toMatchObject({ allowed: true });
    const [object, old] = [withSpec({ color: 'red' }), withSpec({ list: [] })];
    expect(changes).toEqual([{ operation: 'UPDATE', object, old }]);
  });

  const bad = invalid('spec.color', 'red', 'not red');

  test.each<[name: string, webhooks: AdmissionWebhooks<Widget>]>([
    ['a list', { validate: () => [bad] }],
    ['a verdict without warnings', { validate: async () => ({ errors: [bad] }) }],
    [
      'an InvalidError',
      {
        validate: () => {
          throw new InvalidError(bad);
        },
      },
    ],
    ['a list on create', { validateCreate: () => [bad] }],
  ])('refuses with %s', async (_, webhooks) => {
    expect(await validate(webhooks, create(widget()))).toMatchObject(refusal(bad));
  });

  test.each<[name: string, webhooks: AdmissionWebhooks<Widget>]>([
    ['nothing', { validate: () => {} }],
    ['an empty list', { validate: () => [] }],
    ['nothing in time', { validate: async () => {} }],
    ['warnings', { validate: () => ({ warnings: [] }) }],
    ['no handler for creates', { validateUpdate: () => [bad], validateDelete: () => [bad] }],
  ])('lets pass with %s', async (_, webhooks) => {
    expect(await validate(webhooks, create(widget()))).toEqual({ allowed: true, ...{ warnings: [] } });
  });

  test('of changes gets the old and the new object', async () => {
    const webhooks: AdmissionWebhooks<Widget> = {
      validate: ({ operation, object, old }) => ({
        warnings: [`${operation} ${old?.spec.color} ${object.spec.color}`],
      }),
    };
    const blue = widget({}, { color: 'blue' });
    expect(await validate(webhooks, create(blue))).toMatchObject({ warnings: ['CREATE undefined blue'] });
    expect(await validate(webhooks, update(blue, widget()))).toMatchObject({ warnings: ['UPDATE red blue'] });
  });

  test.each<[name: string, metadata: object, want: string]>([
    ['of the object', { name: 'b' }, 'b'],
    ['that the name of the object will begin with', { generateName: 'b-' }, 'b-'],
    ['of an object whose name is not a text', { name: { a: 1 }, generateName: 7 }, ''],
    ['that is empty when there is none at all', {}, ''],
  ])('gives a request without a name the name %s', async (_, metadata, name) => {
    expect(await validate({ validate: () => [bad] }, create({ ...widget(), metadata }), { name: '' })).toMatchObject({
      status: { message: expect.stringContaining(`"${name}" is invalid`), details: { name } },
    });
  });

  test('gets a change unless the object is being deleted', async () => {
    const object = { ...widget(), metadata: { ...widget().metadata, deletionTimestamp: null } };
    const refuse: AdmissionWebhooks<Widget> = { validate: () => [bad] };
    expect(await validate(refuse, update(object, widget()))).toMatchObject(refusal(bad));
    expect(await validate(refuse, update(withDeletionTimestamp(widget()), widget()))).toEqual({ allowed: true });
  });

  test('has its warnings fitted into the limits of the API server', async () => {
    const webhooks: AdmissionWebhooks<Widget> = { validate: () => ({ warnings: ['x'.repeat(300)] }) };
    expect(await validate(webhooks, create(widget()))).toMatchObject({ warnings: [`${'x'.repeat(255)}…`] });
  });

  test('keeps its own state', async () => {
    class Validator {
      readonly #errors = [bad];
      validate() {
        return this.#errors;
      }
    }
    expect(await validate(new Validator(), create(widget()))).toMatchObject(refusal(bad));
  });
});

describe('a validator of a kind with a schema', () => {
  const noRed: AdmissionWebhooks<Widget> = {
    validate: ({ object }) => (object.spec.color.startsWith('red') ? [invalid('spec.color', 'red', 'not red')] : []),
  };

  test('does not get an object with errors: it is rejected', async () => {
    const error = invalid('spec.color', 5, 'must be text');
    expect(await validate(noRed, create(withSpec({ color: 5 })), { schema })).toMatchObject(refusal(error));
  });

  test('rejects an object with its old errors when these make it throw', async () => {
    const log = new RecordingLogger();
    const operation = update(withSpec({ color: 5, size: 1 }), withSpec({ color: 5 }));
    const error = invalid('spec.color', 5, 'must be text');
    expect(await validate(noRed, operation, { schema, context: { log } })).toMatchObject(refusal(error));
    expect(log.records).toMatchObject([{ fields: { reason: expect.stringContaining('startsWith') } }]);
  });

  test('validates an object with an old error', async () => {
    const operation = update(withSpec({ color: 'red', size: 3 }), withSpec({ color: 'blue', size: 3 }));
    expect(await validate(noRed, operation, { schema })).toMatchObject(
      refusal(invalid('spec.color', 'red', 'not red')),
    );
  });

  test('fails the request when it fails for another reason', async () => {
    const failing: AdmissionWebhooks<Widget> = { validate: () => Promise.reject(new Error('quota server is down')) };
    const operation = update(withSpec({ color: 5, size: 1 }), withSpec({ color: 5 }));
    await expect(validate(failing, operation, { schema })).rejects.toThrow('quota server is down');
    const broken: AdmissionWebhooks<Widget> = { validate: () => Promise.reject(new TypeError('a mistake')) };
    await expect(validate(broken, create(widget()), { schema })).rejects.toThrow('a mistake');
  });
});

describe('a validator of deletes', () => {
  const inUse = { reason: 'FieldValueForbidden', field: 'metadata.name', message: 'Forbidden: it is in use' };
  const keep: AdmissionWebhooks<Widget> = { validateDelete: () => [inUse] };
  const remove = (old: Widget) => ({ kind: 'DELETE', old }) as const;

  test('rejects', async () => {
    expect(await validate(keep, remove(widget()))).toMatchObject(refusal(inUse));
  });

  test('gets the object and the user', async () => {
    const user = { username: 'jane', uid: '', groups: ['admins'], extra: {} };
    const webhooks: AdmissionWebhooks<Widget> = {
      validateDelete: ({ spec }, context) => ({ warnings: [`${spec.color} ${context.user.groups[0]}`] }),
    };
    expect(await validate(webhooks, remove(widget()), { context: { user } })).toMatchObject({
      warnings: ['red admins'],
    });
  });

  test.each([
    ['what is being deleted already', withDeletionTimestamp(widget()), 'jane'],
    ['what goes with its namespace', widget(), 'system:serviceaccount:kube-system:namespace-controller'],
    ['what goes with its namespace, in a small cluster', widget(), 'system:kube-controller-manager'],
  ])('is not called for %s', async (_, old, username) => {
    const user = { username, uid: '', groups: [], extra: {} };
    expect(await validate(keep, remove(old), { context: { user } })).toEqual({ allowed: true });
  });

  test('is not called for other operations', async () => {
    expect(await validate(keep, create(widget()))).toMatchObject({ allowed: true });
    const webhooks = { validate: () => [inUse] };
    expect(await validate(webhooks, remove(widget()))).toMatchObject({ allowed: true });
  });
});
