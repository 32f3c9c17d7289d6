import { defineKind } from 'controller-runtime/schema';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CHECKS, pluralize, toKebabCase } from './names.ts';

/** The names that `defineKind` checks. */
const VALID = { group: 'example.com', version: 'v1', kind: 'Website', plural: 'websites' };

/** Whether `defineKind`, whose rules are those of the API server, accepts the name. */
function isAccepted(name: keyof typeof VALID, value: string): boolean {
  try {
    defineKind({ ...VALID, [name]: value, spec: z.object({}) });
    return true;
  } catch {
    return false;
  }
}

test.each([
  [
    'group',
    ['example.com', 'a.b', 'xn--a.example'],
    ['', 'example', 'Example.com', 'a..b', '-a.com', 'a_b.com', 'a b.c'],
  ],
  ['version', ['v1', 'v1beta1', 'v2alpha10'], ['', 'V1', '1', 'v1.0', 'v1_', 'v1-']],
  [
    'kind',
    ['Website', 'API', 'HTTPRoute', 'V1'],
    ['', 'website', 'Web-site', 'Web site', '1Site', 'Wébsite', '../Site'],
  ],
  ['plural', ['websites', 'fish', 'http-routes'], ['', 'Websites', '1st', 'a.b', 'a_b', 'a-', '../a']],
] as const)('a valid %s is valid for defineKind too', (name, valid, invalid) => {
  for (const value of valid)
    expect([value, CHECKS[name](value), isAccepted(name, value)]).toEqual([value, undefined, true]);
  for (const value of invalid) {
    expect([value, CHECKS[name](value)]).toEqual([value, expect.stringMatching(/^must be .*such as /)]);
    expect([value, isAccepted(name, value)]).toEqual([value, false]);
  }
});

test('names that defineKind does not refuse, but the API server or the convention for versions, are invalid', () => {
  for (const group of ['k8s.io', 'apps.k8s.io', 'a.kubernetes.io'])
    expect(CHECKS.group(group)).toContain('domain of Kubernetes');
  expect(CHECKS.group('notk8s.io')).toBeUndefined();
  expect(CHECKS.version('v0')).toContain('must be a version');
  expect(CHECKS.kind('A'.repeat(60))).toBe('must have at most 59 characters');
  expect(CHECKS.name('a'.repeat(48))).toBe('must have at most 47 characters');
  for (const name of ['', 'My-operator', 'a_b', '1st', 'a.b', '.', '..'])
    expect(CHECKS.name(name)).toContain('must be lower-case');
});

test.each(['Policy', 'Box', 'Gateway', 'API', 'Status', 'Branch', 'Wish', 'Quiz', 'HTTPRoute'])(
  'the plural of %s is that of defineKind',
  (kind) => {
    const { plural } = defineKind({ group: 'example.com', version: 'v1', kind, spec: z.object({}) });
    expect(pluralize(kind)).toBe(plural);
  },
);

test.each([
  ['Website', 'website'],
  ['CronJob', 'cron-job'],
  ['HTTPRoute', 'http-route'],
  ['API', 'api'],
  ['APIGateway', 'api-gateway'],
  ['OAuth2Client', 'o-auth2-client'],
])('the files of %s have the name %s', (kind, name) => {
  expect(toKebabCase(kind)).toBe(name);
});
