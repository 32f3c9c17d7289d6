import { describe, expect, test } from 'vitest';
import type { Manifest } from './manifests.ts';
import { allows, askedIn, rightsGranted, sentence } from './rights.ts';

const WORKER = { namespace: 'system', name: 'worker' };
const SUBJECT = { kind: 'ServiceAccount', ...WORKER };

const NAMED = { namespace: 'a', name: 'b' };
const line = (event: object) =>
  JSON.stringify({
    stage: 'ResponseComplete',
    requestURI: '/apis',
    user: { username: 'me' },
    responseStatus: { code: 200 },
    ...event,
  });

function binding(kind: string, roleRef: object, namespace?: string): Manifest {
  // Only the fields that the code reads.
  return { kind, metadata: { name: 'b', namespace }, roleRef, subjects: [SUBJECT] } as unknown as Manifest;
}

function role(kind: string, name: string, options: { namespace?: string; rules: readonly object[] }): Manifest {
  const { namespace, rules } = options;
  return { kind, metadata: { name, namespace }, rules } as unknown as Manifest;
}

const SECRET = { resource: 'secrets', ...NAMED };
const STATUS = { apiGroup: 'batch', resource: 'jobs', subresource: 'status', ...NAMED };
const TOKEN = { ...SECRET, subresource: 'token' };
const START = { verb: 'watch', stage: 'ResponseStarted', objectRef: { resource: 'pods' } };

test.each([
  [
    'what was asked for',
    { verb: 'update', objectRef: STATUS },
    { verb: 'update', what: 'jobs/status.batch', ...NAMED },
  ],
  [
    'no name of what is created',
    { verb: 'create', objectRef: SECRET },
    { verb: 'create', what: 'secrets', namespace: 'a' },
  ],
  [
    'whose subresource is created',
    { verb: 'create', objectRef: TOKEN },
    { verb: 'create', what: 'secrets/token', ...NAMED },
  ],
  ['watches before they end', START, { verb: 'watch', what: 'pods' }],
  ['paths that are no resources', { verb: 'get', requestURI: '/x?a=b' }, { verb: 'get', what: '/x' }],
])('an audit log has %s, and what the answer was', (_, event, right) => {
  const answer = { code: 409, message: 'too late' };
  expect(askedIn(`${line({ ...event, responseStatus: answer })}\n`)).toEqual([{ user: 'me', right, ...answer }]);
});

test('an audit log has nothing before it ends but watches', () => {
  expect(askedIn(line({ verb: 'get', stage: 'ResponseStarted', objectRef: { resource: 'pods' } }))).toEqual([]);
});

describe('roles grant', () => {
  test('each combination of what a rule lists', () => {
    const rules = [
      { apiGroups: ['', 'x'], resources: ['as', 'as/status'], verbs: ['get', 'update'] },
      { apiGroups: [''], resources: ['bs'], resourceNames: ['one', 'two'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ];
    const objects = [
      role('ClusterRole', 'r', { rules }),
      binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'r' }),
    ];
    expect(rightsGranted(objects, WORKER).map(sentence).toSorted()).toEqual([
      'get /metrics',
      'get as',
      'get as.x',
      'get as/status',
      'get as/status.x',
      'get bs one',
      'get bs two',
      'update as',
      'update as.x',
      'update as/status',
      'update as/status.x',
    ]);
  });

  test('in the namespace of their binding', () => {
    const rules = [{ apiGroups: [''], resources: ['as'], verbs: ['get'] }];
    const objects = [
      role('Role', 'r', { namespace: 'other', rules: [] }),
      role('Role', 'r', { namespace: 'here', rules }),
      role('ClusterRole', 'r', { rules: [] }),
      role('ClusterRole', 'c', { rules }),
      binding('RoleBinding', { kind: 'Role', name: 'r' }, 'here'),
      binding('RoleBinding', { kind: 'ClusterRole', name: 'c' }, 'there'),
    ];
    expect(rightsGranted(objects, WORKER).map(sentence)).toEqual(['get as in here', 'get as in there']);
  });

  test.each([{ name: 'x' }, { namespace: 'x' }, { kind: 'User' }])('nothing to others: %j', (difference) => {
    const rules = [{ apiGroups: [''], resources: ['as'], verbs: ['get'] }];
    const bound = binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'r' });
    const objects = [role('ClusterRole', 'r', { rules }), { ...bound, subjects: [{ ...SUBJECT, ...difference }] }];
    expect(rightsGranted(objects, WORKER)).toEqual([]);
  });
});

describe('what is granted', () => {
  const asked = { verb: 'get', what: 'secrets', name: 'a', namespace: 'b' };

  test.each([{}, { name: 'a' }, { namespace: 'b' }, { name: 'a', namespace: 'b' }])(
    'allows what it names: %j',
    (limits) => {
      expect(allows({ verb: 'get', what: 'secrets', ...limits }, asked)).toBe(true);
    },
  );

  test.each([{ verb: 'list' }, { what: 'secrets/x' }, { name: 'b' }, { namespace: 'a' }])(
    'allows nothing else: %j',
    (difference) => {
      expect(allows({ ...asked, ...difference }, asked)).toBe(false);
    },
  );

  test('by name allows nothing without a name', () => {
    expect(allows({ ...asked, verb: 'create' }, { ...asked, verb: 'create', name: undefined })).toBe(false);
  });
});
