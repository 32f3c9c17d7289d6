/** Every field of the kubebuilder tutorial's CRD must exist here, and the documentation lists the additional ones. */
import { readFileSync } from 'node:fs';
import type { StructuralSchema } from 'controller-runtime';
import { expect, test } from 'vitest';
import { createCronJobCrd } from '../../hack/crd/cronjob-crd.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Paths in tutorial-fields.txt; the first lines of that file describe the format. */
function readTutorialFields(): readonly string[] {
  const above: string[] = [];
  return read('tutorial-fields.txt')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [, indent = '', name = '', leaves = ''] = /^( *)([^:]+):(.*)$/.exec(line) ?? [];
      above.length = indent.length;
      above.push(name);
      const parents = above.slice(1);
      return [
        parents,
        ...leaves
          .split(' ')
          .slice(1)
          .map((leaf) => [...parents, leaf]),
      ].map((path) => path.join('.'));
    })
    .filter((path) => path !== '');
}

function listFields(schema: StructuralSchema, path: readonly string[] = []): readonly string[] {
  const children = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.items ? [['[]', schema.items] as const] : []),
    ...(schema.additionalProperties ? [['*', schema.additionalProperties] as const] : []),
  ];
  return children.flatMap(([key, child]) => [[...path, key].join('.'), ...listFields(child, [...path, key])]);
}

const tutorialPaths = readTutorialFields();
const ourPaths = listFields(createCronJobCrd().spec.versions[0].schema.openAPIV3Schema);

test('has every field of the tutorial', () => {
  expect(tutorialPaths).toHaveLength(1318);
  expect(tutorialPaths.filter((path) => !ourPaths.includes(path))).toEqual([]);
});

test('documents every field that the tutorial does not have', () => {
  const tutorialSet = new Set(tutorialPaths);
  const extra = ourPaths.filter((path) => !tutorialSet.has(path));
  const outermost = extra.filter((path) => !extra.some((other) => path.startsWith(`${other}.`)));
  const documentation = read('../../docs/crd-differences.md');
  const name = (path: string) => path.replaceAll('.[]', '[]');
  expect(outermost.map(name).filter((path) => !documentation.includes(`\`${path}\``))).toEqual([]);
});
