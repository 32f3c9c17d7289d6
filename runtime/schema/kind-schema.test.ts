import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineKind } from './define-kind.ts';
import { int32, int64 } from './field-types.ts';

const spec = z
  .object({
    image: z.string().max(5),
    replicas: int32().max(10).default(1),
    ports: z.array(z.object({ port: int32(), protocol: z.enum(['TCP', 'UDP']).default('TCP') })).optional(),
    seconds: int64().nullable().default(5),
    labels: z.record(z.string().max(5), z.string()).optional(),
  })
  .refine(({ replicas, image }) => replicas !== image.length, 'must differ');
const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  name: { maxLength: 5, message: 'must be short' },
  spec,
});

const website = (fields: unknown, name = 'a') => ({ apiVersion: 'example.com/v1', metadata: { name }, spec: fields });

describe('faults', () => {
  test('cover the name and the spec', () => {
    expect(Website.schema.faults(website({ image: 'a', replicas: 11 }, 'too long'))).toEqual([
      { reason: 'FieldValueInvalid', field: 'metadata.name', message: 'Invalid value: "too long": must be short' },
      {
        reason: 'FieldValueInvalid',
        field: 'spec.replicas',
        message: 'Invalid value: 11: must be less than or equal to 10',
      },
    ]);
  });

  test('omit the name on update', () => {
    const old = website({ image: 'abc' }, 'too long');
    expect(Website.schema.faults(website({ image: 'ab' }, 'too long'), old)).toEqual([]);
  });

  test.each([undefined, null, {}, [], 'text', { metadata: 5 }])('of %j report a missing spec', (object) => {
    const want = [{ reason: 'FieldValueRequired', field: 'spec', message: 'Required value' }];
    expect(Website.schema.faults(object)).toEqual(want);
    expect(Website.schema.faults(object, website({ image: 'a' }))).toEqual(want);
    expect(Website.schema.faults(object, object ?? {})).toEqual([]);
  });
});

describe('defaults', () => {
  test('replace absent values and null, also in lists', () => {
    const given = website({ image: 'a', replicas: null, ports: [{ port: 1 }, { port: 2, protocol: 'UDP' }], more: 1 });
    expect(Website.schema.withDefaults(given)).toEqual(
      website({
        image: 'a',
        replicas: 1,
        ports: [
          { port: 1, protocol: 'TCP' },
          { port: 2, protocol: 'UDP' },
        ],
        seconds: 5,
        more: 1,
      }),
    );
    expect(given.spec).toMatchObject({ replicas: null });
  });

  test('do not change existing values, valid or not', () => {
    const given = website({ image: 5, replicas: 'x', ports: 'none', seconds: null });
    expect(Website.schema.withDefaults(given)).toBe(given);
  });

  test.each([undefined, null, 'x', []])('do not change a spec that is %j', (fields) => {
    const given = website(fields);
    expect(Website.schema.withDefaults(given)).toBe(given);
  });

  test.each([undefined, null, 'x', {}])('do not change %j instead of an object', (given) => {
    expect(Website.schema.withDefaults(given)).toBe(given);
  });
});

test('for any JSON, the messages are short, and an accepted value is valid for zod', () => {
  const aField = fc.oneof(fc.jsonValue(), fc.integer(), fc.string({ maxLength: 6 }));
  const fields = fc.constantFrom('image', 'replicas', 'ports', 'seconds', 'labels');
  const aSpec = fc.oneof(fc.jsonValue(), fc.dictionary(fields, aField));
  fc.assert(
    fc.property(aSpec, fc.option(aSpec, { nil: undefined }), (given, old) => {
      for (const { reason, field, message } of Website.schema.faults(website(given), old && website(old))) {
        expect(reason).toMatch(/^FieldValue[A-Z]/);
        expect(field).toMatch(/^spec/);
        expect(message.length).toBeLessThan(1000);
      }
      const completed = Website.schema.withDefaults(website(given));
      expect(Website.schema.withDefaults(completed)).toEqual(completed);
      const isRight = Website.schema.faults(website(given)).length === 0;
      expect(spec.safeParse(completed.spec).success).toBe(isRight);
    }),
  );
});
