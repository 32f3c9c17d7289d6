import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { core } from '../kubernetes/core.ts';
import { namespacedResource } from '../kubernetes/resource.ts';
import type { Manager } from '../manager/manager.ts';
import { defineKind } from '../schema/define-kind.ts';
import { jobs, racks, widgets } from '../test-support/objects.ts';
import { collectRules, type SetUp } from './collect-registrations.ts';
import { manifestFiles } from './manifests.ts';
import type { OperatorManifests } from './operator-manifests.ts';

const READ = ['get', 'list', 'watch'];
const spec = z.object({ image: z.string() });
const Website = defineKind({ group: 'example.com', version: 'v1', kind: 'Website', spec, status: z.object({}) });
const Page = defineKind({ group: 'example.com', version: 'v1', kind: 'Page', spec });

const reconcile = async () => {};
const rule = (resource: string, ...verbs: readonly string[]) => {
  const [plural = '', group = ''] = resource.split(/\.(.*)/);
  return { group, resources: [plural], verbs };
};

describe('the rules of a controller', () => {
  test.each<{ readonly name: string; readonly setUp: SetUp; readonly want: readonly object[] }>([
    {
      name: 'a kind with a status',
      setUp: (manager) => manager.controller('a').for(Website).reconcile(reconcile),
      want: [rule('websites.example.com', ...READ), rule('websites/status.example.com', 'update')],
    },
    {
      name: 'a kind without a status',
      setUp: (manager) => manager.controller('a').for(Page).reconcile(reconcile),
      want: [rule('pages.example.com', ...READ)],
    },
    {
      name: 'a custom resource without a schema may have a status',
      setUp: (manager) => manager.controller('a').for(widgets).reconcile(reconcile),
      want: [rule('widgets.example.com', ...READ), rule('widgets/status.example.com', 'update')],
    },
    {
      name: 'the status of a built-in kind belongs to another controller',
      setUp: (manager) => manager.controller('a').for(core.v1.pods).reconcile(reconcile),
      want: [rule('pods', ...READ)],
    },
    {
      name: 'finalizers are a patch',
      setUp: (manager) => manager.controller('a').for(Page).finalizer('example.com/a', reconcile).reconcile(reconcile),
      want: [rule('pages.example.com', ...READ, 'patch')],
    },
    {
      name: 'owned objects are applied, and block the deletion of their owner',
      setUp: (manager) => manager.controller('a').for(Page).owns(jobs).reconcile(reconcile),
      want: [
        rule('pages.example.com', ...READ),
        rule('pages/finalizers.example.com', 'update'),
        rule('jobs.batch', ...READ, 'create', 'patch'),
      ],
    },
    {
      name: 'other watched kinds are only read',
      setUp: (manager) =>
        manager
          .controller('a')
          .for(Page)
          .watches(racks, () => [])
          .reconcile(reconcile),
      want: [rule('pages.example.com', ...READ), rule('racks.example.com', ...READ)],
    },
    {
      name: 'the option verbs',
      setUp: (manager) =>
        manager
          .controller('a')
          .for(Page, { verbs: ['deletecollection'] })
          .owns(jobs, { verbs: ['create', 'delete'], metadataOnly: true })
          .watches(racks, () => [], { verbs: ['delete'] })
          .reconcile(reconcile),
      want: [
        rule('pages.example.com', ...READ, 'deletecollection'),
        rule('pages/finalizers.example.com', 'update'),
        rule('jobs.batch', ...READ, 'create', 'delete'),
        rule('racks.example.com', ...READ, 'delete'),
      ],
    },
    {
      name: 'each kind once, also with an index or an informer and without a controller',
      setUp: (manager) => {
        manager.cache.indexField(Page, 'image', (page) => [page.spec.image]);
        manager.cache.informerFor(core.v1.secrets, { metadataOnly: true });
        manager.controller('a').for(Page).reconcile(reconcile);
        manager
          .controller('b')
          .for(racks)
          .watches(Page, () => [])
          .reconcile(reconcile);
      },
      want: [rule('pages.example.com', ...READ), rule('racks.example.com', ...READ), rule('secrets', ...READ)],
    },
  ])('$name', ({ setUp, want }) => {
    expect(collectRules(setUp)).toEqual(want);
  });
});

const addPages = (manager: Manager) => {
  manager.webhooks.for(Page, { validateDelete: () => [] });
  manager.controller('page').for(Page).reconcile(reconcile);
};

function documents(manifests: OperatorManifests, path: string) {
  return parseAllDocuments(manifestFiles(manifests).get(path) ?? '').map((document) => document.toJS());
}

test('the role has the rules of the controllers, the other rules with any verb, and the rules of the manager', () => {
  const verbs = ['bind', 'escalate']; // needs no `as const`
  const [role] = documents(
    {
      manager: { name: 'pages' },
      setUp: addPages,
      rules: [
        { group: 'example.com', resources: ['pages'], verbs: ['deletecollection'] },
        { group: 'rbac.authorization.k8s.io', resources: ['roles'], resourceNames: ['a'], verbs },
        { group: '*', resources: ['*'], verbs: ['*'] },
      ],
    },
    'config/rbac/role.yaml',
  );
  expect(role.rules).toEqual([
    { apiGroups: ['example.com'], resources: ['pages'], verbs: [...READ, 'deletecollection'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: ['a'], verbs },
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ]);
});

test('a role can allow paths that are not resources', () => {
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  expect(documents({ roles: [{ name: 'metrics-reader', rules }] }, 'config/rbac/role.yaml')).toMatchObject([{ rules }]);
});

test('the webhook configurations have the webhooks that setUp registers, unless webhooks is set', () => {
  const path = 'config/webhook/manifests.yaml';
  const manifests = { manager: { name: 'pages' }, setUp: addPages };
  expect(documents(manifests, path)).toMatchObject([{ webhooks: [{ name: 'vpage-v1.example.com' }] }]);
  expect(documents({ ...manifests, webhooks: [] }, path)).toEqual([]);
});

test('refuses controllers without a manager', () => {
  expect(() => manifestFiles({ setUp: addPages })).toThrow('setUp: set `manager` too');
});

test('explains a request of setUp', async () => {
  const pods = namespacedResource('v1', 'Pod');
  let request: Promise<unknown> | undefined;
  collectRules((manager) => {
    request = manager.apiReader.list(pods);
  });
  await expect(request).rejects.toThrow('calls setUp without a cluster');
});
