import { expect, test } from 'vitest';
import { LIBRARIES } from '../../hack/packages/pack-package.ts';
import { listPublicDeclarations } from './public-declarations.ts';

/** Its members are keywords of OpenAPI. */
const SCHEMA = 'StructuralSchema.';

/** An export of each library. */
const EXPORTS: Readonly<Record<string, string>> = {
  schedule: 'parseSchedule',
  runtime: 'createManager',
  api: 'CronJob',
};

test.each(LIBRARIES)('each export of %s has a documentation comment', (folder) => {
  const exports = listPublicDeclarations(folder).filter(({ name }) => !name.includes('.'));
  expect(exports.map(({ name }) => name)).toContain(EXPORTS[folder]);
  expect(exports.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
});

test('each member of the exported types of controller-runtime has a documentation comment', () => {
  const members = listPublicDeclarations('runtime').filter(({ name }) => name.includes('.'));
  expect(members.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ManagerOptions.leaderElection', 'Manager.client', 'Counter.add']),
  );
  const undocumented = members.filter(({ isDocumented }) => !isDocumented);
  expect(undocumented.filter(({ name }) => !name.startsWith(SCHEMA))).toEqual([]);
});
