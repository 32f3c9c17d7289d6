import { expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { brokenRules } from './rules.ts';

/** The sentences about these sources. */
function check(sources: Record<string, string>): readonly string[] {
  return brokenRules(new Map(Object.entries(sources).map(([file, source]) => [file, importsOf(file, source)])));
}

const ALLOWED = [
  {
    name: 'the shell imports the core, api and runtime',
    file: 'controllers/a.ts',
    source: `import './cronjob/p.ts'; import '../api/x.ts'; import '../runtime/y.ts'`,
  },
  { name: 'api imports the vocabulary', file: 'api/x.ts', source: `import '../runtime/kubernetes/y.ts'` },
  { name: 'cmd skips the shell', file: 'cmd/main.ts', source: `import '../runtime/y.ts'` },
  {
    name: 'cron-fields.ts imports cron-parser',
    file: 'schedule/cron-fields.ts',
    source: `import { x } from 'cron-parser'`,
  },
  {
    name: 'the core uses types of client-node',
    file: 'controllers/cronjob/p.ts',
    source: `import type { V1Job } from '@kubernetes/client-node'`,
  },
  {
    name: 'types can be marked one by one',
    file: 'api/x.ts',
    source: `import { type V1Job } from '@kubernetes/client-node'`,
  },
  {
    name: 'any layer imports a package of ours by its name',
    file: 'controllers/cronjob/p.ts',
    source: `import { parseSchedule } from 'kubernetes-cron-schedule'`,
  },
  {
    name: 'api uses types of Kubernetes objects',
    file: 'api/x.ts',
    source: `import type { Job } from '../runtime/kubernetes/batch.ts'; export type { Wire } from '../runtime/kubernetes/wire.ts'`,
  },
  { name: 'any layer uses a bounded map', file: 'api/x.ts', source: `import QuickLRU from 'quick-lru'` },
  {
    name: 'an example imports our package by its name',
    file: 'runtime/examples/a/main.ts',
    source: `import 'controller-runtime'; import type { O } from 'controller-runtime/schema'; import { z } from 'zod'; import './b.ts'`,
  },
  { name: 'hack imports anything', file: 'hack/a.ts', source: `import '../runtime/y.ts'; import 'vitest'` },
  { name: 'a test imports anything', file: 'api/x.test.ts', source: `import '../test/support/e.ts'; import 'vitest'` },
];
test.each(ALLOWED)('$name', ({ file, source }) => {
  expect(check({ [file]: source })).toEqual([]);
});

const REFUSED = [
  {
    name: 'the vocabulary imports the rest of runtime',
    file: 'runtime/kubernetes/y.ts',
    source: `import '../client/x.ts'`,
    want: 'kubernetes may import kubernetes',
  },
  {
    name: 'api imports runtime',
    file: 'api/x.ts',
    source: `import '../runtime/y.ts'`,
    want: 'api may import api, kubernetes',
  },
  {
    name: 'api uses other types of runtime',
    file: 'api/x.ts',
    source: `import type { Client } from '../runtime/client/client.ts'`,
    want: 'api may import api, kubernetes',
  },
  {
    name: 'the core imports the shell',
    file: 'controllers/cronjob/p.ts',
    source: `import '../a.ts'`,
    want: 'core may import core, api, kubernetes',
  },
  {
    name: 'runtime imports api',
    file: 'runtime/y.ts',
    source: `export * from '../api/x.ts'`,
    want: 'runtime may import runtime, kubernetes',
  },
  {
    name: 'a type alone is an import too',
    file: 'runtime/y.ts',
    source: `import type { X } from '../api/x.ts'`,
    want: 'runtime may import runtime, kubernetes',
  },
  {
    name: 'an import at run time counts',
    file: 'runtime/y.ts',
    source: `await import('../cmd/main.ts')`,
    want: 'runtime may import runtime, kubernetes',
  },
  { name: 'api reads files', file: 'api/x.ts', source: `import fs from 'node:fs'`, want: 'api takes values' },
  {
    name: 'the shell loads client-node',
    file: 'controllers/a.ts',
    source: `import { V1Job } from '@kubernetes/client-node'`,
    want: 'it belongs in runtime/client/',
  },
  {
    name: 'another file loads cron-parser',
    file: 'api/v1/other.ts',
    source: `import 'cron-parser'`,
    want: 'it belongs in schedule/cron-fields.ts',
  },
  {
    name: 'a package of ours is imported by path',
    file: 'api/x.ts',
    source: `import '../schedule/index.ts'`,
    want: 'api may import api',
  },
  {
    name: 'a package of ours imports what is outside of it',
    file: 'schedule/x.ts',
    source: `import '../api/x.ts'`,
    want: 'schedule may import schedule',
  },
  {
    name: 'a package that takes values asks Node',
    file: 'schedule/x.ts',
    source: `import fs from 'node:fs'`,
    want: 'schedule takes values',
  },
  {
    name: 'an example imports a file of our package',
    file: 'runtime/examples/a/main.ts',
    source: `import '../../index.ts'`,
    want: 'example may import example',
  },
  {
    name: 'our package imports an example',
    file: 'runtime/y.ts',
    source: `import './examples/a/main.ts'`,
    want: 'runtime may import runtime',
  },
  { name: 'an unknown package', file: 'cmd/main.ts', source: `import 'left-pad'`, want: 'does not say where' },
  {
    name: 'what ships imports a tool',
    file: 'cmd/main.ts',
    source: `import '../hack/a.ts'`,
    want: 'depends on no tool',
  },
  { name: 'a test is imported', file: 'hack/a.ts', source: `import './b.test.ts'`, want: 'imported by nothing' },
];
test('a kind is defined with two folders of runtime', () => {
  const source = `import '../runtime/schema/kind.ts';\nimport '../runtime/kubernetes/wire.ts';`;
  expect(check({ 'api/x.ts': source })).toEqual([]);
});

test.each(REFUSED)('refused: $name', ({ file, source, want }) => {
  expect(check({ [file]: source })).toEqual([expect.stringContaining(want)]);
});

test('names the file, the line and the target', () => {
  expect(check({ 'api/v1/x.ts': `import './a.ts';\nimport '../../runtime/y.ts';` })).toEqual([
    'api/v1/x.ts:2 imports runtime/y.ts: api may import api, kubernetes, schema',
  ]);
});

test('one file knows each library', () => {
  const source = `import { Pool } from 'undici'`;
  expect(check({ 'runtime/client/a.ts': source, 'runtime/client/b.ts': source })).toEqual([
    expect.stringMatching(/^runtime\/client\/a\.ts, runtime\/client\/b\.ts import undici/),
  ]);
});

test('finds a cycle once', () => {
  const sources = {
    'api/a.ts': `import './b.ts'`,
    'api/b.ts': `import type { C } from './c.ts'`,
    'api/c.ts': `import './a.ts'`,
  };
  expect(check(sources)).toEqual(['cycle: api/a.ts → api/b.ts → api/c.ts → api/a.ts']);
});
