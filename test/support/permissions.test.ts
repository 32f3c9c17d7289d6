import { describe, expect, test } from 'vitest';
import type { Manifest } from './manifests.ts';
import { covers, formatPermission, listGrantedPermissions, parseAuditLog } from './permissions.ts';

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
    'the requested permission',
    { verb: 'update', objectRef: STATUS },
    { verb: 'update', resource: 'jobs/status.batch', ...NAMED },
  ],
  [
    'no name for a create',
    { verb: 'create', objectRef: SECRET },
    { verb: 'create', resource: 'secrets', namespace: 'a' },
  ],
  [
    'the name of the parent of a created subresource',
    { verb: 'create', objectRef: TOKEN },
    { verb: 'create', resource: 'secrets/token', ...NAMED },
  ],
  ['unfinished watches', START, { verb: 'watch', resource: 'pods' }],
  ['paths outside of resources', { verb: 'get', requestURI: '/x?a=b' }, { verb: 'get', resource: '/x' }],
])('parses %s from an audit log, with the response', (_, event, permission) => {
  const responseStatus = { code: 409, message: 'too late' };
  expect(parseAuditLog(`${line({ ...event, responseStatus: responseStatus })}\n`)).toEqual([
    { user: 'me', permission, ...responseStatus },
  ]);
});

test('ignores unfinished requests except watches', () => {
  expect(parseAuditLog(line({ verb: 'get', stage: 'ResponseStarted', objectRef: { resource: 'pods' } }))).toEqual([]);
});

describe('roles grant', () => {
  test('each combination of the entries of a rule', () => {
    const rules = [
      { apiGroups: ['', 'x'], resources: ['as', 'as/status'], verbs: ['get', 'update'] },
      { apiGroups: [''], resources: ['bs'], resourceNames: ['one', 'two'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ];
    const objects = [
      role('ClusterRole', 'r', { rules }),
      binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'r' }),
    ];
    expect(listGrantedPermissions(objects, WORKER).map(formatPermission).toSorted()).toEqual([
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
    expect(listGrantedPermissions(objects, WORKER).map(formatPermission)).toEqual([
      'get as in here',
      'get as in there',
    ]);
  });

  test.each([{ name: 'x' }, { namespace: 'x' }, { kind: 'User' }])('nothing to other subjects: %j', (difference) => {
    const rules = [{ apiGroups: [''], resources: ['as'], verbs: ['get'] }];
    const bound = binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'r' });
    const objects = [role('ClusterRole', 'r', { rules }), { ...bound, subjects: [{ ...SUBJECT, ...difference }] }];
    expect(listGrantedPermissions(objects, WORKER)).toEqual([]);
  });
});

describe('a granted permission', () => {
  const requests = { verb: 'get', resource: 'secrets', name: 'a', namespace: 'b' };

  test.each([{}, { name: 'a' }, { namespace: 'b' }, { name: 'a', namespace: 'b' }])(
    'covers a matching request: %j',
    (limits) => {
      expect(covers({ verb: 'get', resource: 'secrets', ...limits }, requests)).toBe(true);
    },
  );

  test.each([{ verb: 'list' }, { resource: 'secrets/x' }, { name: 'b' }, { namespace: 'a' }])(
    'does not cover another request: %j',
    (difference) => {
      expect(covers({ ...requests, ...difference }, requests)).toBe(false);
    },
  );

  test('with a name does not cover a request without a name', () => {
    expect(covers({ ...requests, verb: 'create' }, { ...requests, verb: 'create', name: undefined })).toBe(false);
  });
});
