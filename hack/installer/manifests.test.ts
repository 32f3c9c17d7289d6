import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { inReverse, type RenderOptions, renderManifests, without } from './manifests.ts';

/** The kustomization that kubectl gets to render: this kubectl prints it. */
async function kustomizationFor(options: Partial<RenderOptions>, ownNamespace = 'own') {
  const folder = temporaryFolder();
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
  ])('%s takes the place of that in config/manager', async (image, want) => {
    expect((await kustomizationFor({ image })).images).toEqual([{ name: 'cronjob-operator', ...want }]);
  });

  test.each(['', ':1', 'two words'])('%j is refused', async (image) => {
    await expect(kustomizationFor({ image })).rejects.toThrow(`"${image}" is not the name of an image`);
  });
});

test('what is not given stays as it is in the folder', async () => {
  expect(await kustomizationFor({})).toEqual({
    resources: [expect.stringMatching(/^\.\.\/.+\/overlay with a space$/)],
    sortOptions: { order: 'legacy' },
  });
});

test('a namespace takes the place of that in the folder', async () => {
  expect(await kustomizationFor({ namespace: 'team-a' })).toMatchObject({ namespace: 'team-a' });
});

test('a namespace is refused when what is rendered still names that of the folder', async () => {
  const stillThere = 'overlay';
  await expect(kustomizationFor({ namespace: 'team-a' }, stillThere)).rejects.toThrow(
    /cannot be put into team-a from outside: change "namespace: overlay" in its kustomization\.yaml$/,
  );
  expect(await kustomizationFor({ namespace: 'overlay' }, stillThere)).toMatchObject({ namespace: 'overlay' });
});

test('a folder that is not there is named', async () => {
  await expect(kustomizationFor({ overlay: '/nowhere/at/all' })).rejects.toThrow('/nowhere/at/all');
});

const THREE =
  'kind: Namespace\nname: a\n---\nkind: Role\nmetadata:\n  kind: Deployment\n---\nkind: Deployment\nname: c\n';

test('the last document is the first in reverse', () => {
  expect(inReverse(THREE)).toBe(
    'kind: Deployment\nname: c\n---\nkind: Role\nmetadata:\n  kind: Deployment\n---\nkind: Namespace\nname: a\n',
  );
});

describe('without a kind', () => {
  test('its documents are left out, and no others', () => {
    expect(without('Deployment', THREE)).toBe(
      'kind: Namespace\nname: a\n---\nkind: Role\nmetadata:\n  kind: Deployment\n',
    );
  });

  test('that nothing is of, all stay', () => {
    expect(without('', THREE)).toBe(THREE);
  });
});
