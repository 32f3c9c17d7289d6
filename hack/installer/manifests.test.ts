import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { type RenderOptions, removeKind, renderManifests, reverseDocuments } from './manifests.ts';

/** The kustomization that kubectl gets to render: this kubectl prints it. */
async function renderKustomization(options: Partial<RenderOptions>, ownNamespace = 'own') {
  const folder = createTemporaryFolder();
  const kubectl = join(folder, 'kubectl');
  const overlay = join(folder, 'overlay with a space');
  mkdirSync(overlay);
  writeFileSync(join(overlay, 'kustomization.yaml'), `namespace: ${ownNamespace}\n`);
  writeFileSync(kubectl, '#!/bin/sh\n[ "$1" = kustomize ] && exec cat "$2/kustomization.yaml"\n');
  chmodSync(kubectl, 0o755);
  const text = await renderManifests({ kubectl, overlay, ...options });
  return parse(text, { version: '1.1' }); // as kubectl reads it
}

describe('an image', () => {
  test.each([
    ['operator', { newName: 'operator' }],
    ['team/operator:1.2.3', { newName: 'team/operator', newTag: '1.2.3' }],
    ['registry.example:5000/operator', { newName: 'registry.example:5000/operator' }],
    ['registry.example:5000/team/operator:v1', { newName: 'registry.example:5000/team/operator', newTag: 'v1' }],
    ['operator:no', { newName: 'operator', newTag: 'no' }],
    ['operator@sha256:aa', { newName: 'operator', digest: 'sha256:aa' }],
    ['operator:1@sha256:aa', { newName: 'operator', newTag: '1', digest: 'sha256:aa' }],
  ])('%s replaces the image in config/manager', async (image, want) => {
    expect((await renderKustomization({ image })).images).toEqual([{ name: 'cronjob-operator', ...want }]);
  });

  test.each(['', ':1', 'two words'])('rejects %j', async (image) => {
    await expect(renderKustomization({ image })).rejects.toThrow(`"${image}" is not a valid image name`);
  });
});

test('keeps the image and the namespace of the folder by default', async () => {
  expect(await renderKustomization({})).toEqual({
    resources: [expect.stringMatching(/^\.\.\/.+\/overlay with a space$/)],
    sortOptions: { order: 'legacy' },
  });
});

test('a namespace replaces the namespace of the folder', async () => {
  expect(await renderKustomization({ namespace: 'team-a' })).toMatchObject({ namespace: 'team-a' });
});

test('rejects a namespace when the manifests still contain the namespace of the folder', async () => {
  const overlayNamespace = 'overlay';
  await expect(renderKustomization({ namespace: 'team-a' }, overlayNamespace)).rejects.toThrow(
    /^cannot set the namespace of .* to team-a: change "namespace: overlay" in its kustomization\.yaml$/,
  );
  expect(await renderKustomization({ namespace: 'overlay' }, overlayNamespace)).toMatchObject({ namespace: 'overlay' });
});

test('names a missing folder', async () => {
  await expect(renderKustomization({ overlay: '/nowhere/at/all' })).rejects.toThrow('/nowhere/at/all');
});

const THREE =
  'kind: Namespace\nname: a\n---\nkind: Role\nmetadata:\n  kind: Deployment\n---\nkind: Deployment\nname: c\n';

test('reverseDocuments puts the last document first', () => {
  expect(reverseDocuments(THREE)).toBe(
    'kind: Deployment\nname: c\n---\nkind: Role\nmetadata:\n  kind: Deployment\n---\nkind: Namespace\nname: a\n',
  );
});

describe('removeKind', () => {
  test('removes the documents of the kind, and no others', () => {
    expect(removeKind('Deployment', THREE)).toBe(
      'kind: Namespace\nname: a\n---\nkind: Role\nmetadata:\n  kind: Deployment\n',
    );
  });

  test('removes nothing without a kind', () => {
    expect(removeKind('', THREE)).toBe(THREE);
  });
});
