import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Resource } from '../kubernetes/resource.ts';
import { conditions } from './conditions.ts';
import { defineKind } from './define-kind.ts';
import { int32 } from './field-types.ts';
import type { ObjectOf, SpecInputOf } from './kind.ts';

const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.strictObject({ image: z.string().max(253), replicas: int32().min(0).max(10).default(1) }),
  status: z.strictObject({ readyReplicas: int32().optional(), conditions: conditions() }),
});
type Website = ObjectOf<typeof Website>;

const Region = defineKind({
  group: 'example.com',
  version: 'v1beta1',
  kind: 'Region',
  scope: 'Cluster',
  spec: z.object({ code: z.string().optional() }),
});
type Region = ObjectOf<typeof Region>;

test('derives its names from its kind', () => {
  const { group, version, kind, plural, singular, namespaced } = Website;
  expect({ group, version, kind, plural, singular, namespaced }).toEqual({
    group: 'example.com',
    version: 'v1',
    kind: 'Website',
    plural: 'websites',
    singular: 'website',
    namespaced: true,
  });
  expect(Region.namespaced).toBe(false);
});

test('has the column Age by default', () => {
  expect(Website.printerColumns.map(({ name }) => name)).toEqual(['Age']);
});

describe('its types', () => {
  test('describe stored objects: with defaults, and readonly', () => {
    expectTypeOf<Website['apiVersion']>().toEqualTypeOf<'example.com/v1'>();
    expectTypeOf<Website['kind']>().toEqualTypeOf<'Website'>();
    expectTypeOf<Website['spec']>().toEqualTypeOf<{ readonly image: string; readonly replicas: number }>();
    expectTypeOf<Website['metadata']['namespace']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Website['status']>['readyReplicas']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<undefined>().toExtend<Website['status']>();
  });

  test('describe input: fields with a default are optional', () => {
    expectTypeOf<SpecInputOf<typeof Website>>().toEqualTypeOf<{
      readonly image: string;
      readonly replicas?: number | undefined;
    }>();
  });

  test('have no namespace if cluster-scoped, and no status without a status schema', () => {
    expectTypeOf<NonNullable<Region['metadata']['namespace']>>().toBeNever();
    expectTypeOf<Region>().not.toHaveProperty('status');
  });

  test('are accepted as resources', () => {
    const getName = <T extends Website>(_resource: Resource<T>, object: T) => object.metadata.name;
    expectTypeOf(getName<Website>).toBeCallableWith(Website, {} as Website);
  });
});

describe('rejects', () => {
  const good = { group: 'example.com', version: 'v1', kind: 'Website', spec: z.object({}) } as const;
  test.each([
    [{ kind: 'website' }, 'define kind "website": kind "website" must be CamelCase, such as Website'],
    [{ kind: 'Web-Site' }, 'kind "Web-Site" must be CamelCase'],
    [{ group: 'example' }, 'group "example" must be a domain in lower case with a dot, such as example.com'],
    [{ group: 'Example.com' }, 'group "Example.com" must be a domain'],
    [{ version: '1' }, 'version "1" must be a version such as v1, v1beta1 or v1alpha1'],
    [{ plural: 'WebSites' }, 'plural "WebSites" must be lower-case letters, digits and hyphens'],
    [{ shortNames: ['ws', 'w s'] }, 'short name "w s" must be'],
    [{ spec: z.string() }, 'spec must be an object (z.object({ … })), not string'],
    [{ spec: { image: 'x' } }, 'spec must be an object (z.object({ … })), not a plain value'],
    [{ status: z.array(z.string()) }, 'status must be an object (z.object({ … })), not array'],
  ])('%j', (wrong, message) => {
    expect(() => defineKind({ ...good, ...wrong } as typeof good)).toThrow(message);
  });

  test('all faults in one error', () => {
    expect(() => defineKind({ ...good, kind: 'website', group: 'x' })).toThrow(/kind .*; group /);
  });
});

test('does not load modules of the generator', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(join(import.meta.dirname, 'define-kind.ts'))});
    console.log(loaded.join('\\n'));
  `;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(loaded).toContain('schema/find-faults.ts');
  expect(loaded).not.toMatch(/yaml|structural-from|custom-resource-definition|manifests/);
});
