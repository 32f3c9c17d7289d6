import { describe, expect, test } from 'vitest';
import { findManagingTool, listHelmNotes } from './managing-tool.ts';

const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'a', 'kustomize.toolkit.fluxcd.io/namespace': 'b' };
const FLUX_HELM = { 'helm.toolkit.fluxcd.io/name': 'a' };
const INSTANCE = { 'app.kubernetes.io/instance': 'a' };
const BY_ARGO_CD = [{ manager: 'kube-controller-manager' }, { manager: 'argocd-controller' }];

describe('finds the tool by its tracking mark', () => {
  test.each([
    [{ annotations: { 'argocd.argoproj.io/tracking-id': 'a' } }, 'Argo CD (argocd.argoproj.io/tracking-id)'],
    [{ labels: { 'argocd.argoproj.io/instance': 'a' } }, 'Argo CD (argocd.argoproj.io/instance)'],
    [{ labels: INSTANCE, managedFields: BY_ARGO_CD }, 'Argo CD (app.kubernetes.io/instance)'],
    [{ labels: FLUX }, 'Flux (kustomize.toolkit.fluxcd.io/name)'],
    [{ labels: FLUX_HELM }, 'Flux (helm.toolkit.fluxcd.io/name)'],
    [{ ownerReferences: [{ kind: 'Backup', name: 'db', controller: true }] }, 'its owner, the Backup db'],
  ])('%o', (metadata, keeper) => {
    expect(findManagingTool({ metadata })).toBe(keeper);
  });
});

describe('finds no tool for settings of a tool, or labels of a chart', () => {
  test.each([
    { annotations: { 'argocd.argoproj.io/sync-wave': '1', 'argocd.argoproj.io/sync-options': 'Prune=false' } },
    {
      annotations: { 'argocd.argoproj.io/hook': 'PostSync', 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' },
    },
    {
      annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'disabled', 'kustomize.toolkit.fluxcd.io/force': 'enabled' },
    },
    { annotations: { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled', 'helm.sh/hook': 'post-install' } },
    { labels: { ...INSTANCE, 'app.kubernetes.io/managed-by': 'Helm', 'helm.sh/chart': 'a-1.0.0' } },
    { labels: INSTANCE, managedFields: [{ manager: 'helm' }] },
    { labels: FLUX, annotations: { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' } },
    { labels: FLUX, annotations: { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' } },
    { labels: FLUX_HELM, annotations: { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' } },
    { ownerReferences: [{ kind: 'Backup', name: 'db' }], labels: { app: 'a' } },
    {},
  ])('%o', (metadata) => {
    expect(findManagingTool({ metadata })).toBeUndefined();
  });
});

test('notes that a Helm upgrade recreates the source', () => {
  const annotations = { 'meta.helm.sh/release-name': 'work', 'meta.helm.sh/release-namespace': 'b' };
  expect(listHelmNotes({ metadata: { annotations } })).toEqual([
    expect.stringMatching(
      /^the batch\/v1 CronJob belongs to the Helm release work: the next helm upgrade creates it again/,
    ),
  ]);
  const rendered = {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'helm.sh/hook': 'pre-install' },
  };
  expect(listHelmNotes({ metadata: rendered })).toEqual([]);
});
