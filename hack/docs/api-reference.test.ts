import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import { CONDITION_REASONS } from '../../controllers/cronjob/conditions.ts';
import { EVENT_REASONS } from '../../controllers/cronjob/events.ts';
import { cronJobCrd } from '../crd/cronjob-crd.ts';
import { annotations, docComments } from './api-reference-annotations.ts';
import { apiReferencePage } from './api-reference-page.ts';
import { anchor } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const page = readFileSync(join(DOCS, 'cronjob-v1.md'), 'utf8');

describe('the page', () => {
  test('has a section for each field of spec and status', () => {
    const { spec, status } = cronJobCrd({ type: 'object' }).spec.versions[0].schema.openAPIV3Schema.properties ?? {};
    const fields = Object.entries({ spec, status }).flatMap(([of, schema]) =>
      Object.keys(schema?.properties ?? {}).map((name) => `${of}.${name}`),
    );
    const sections = [...page.matchAll(/^### `((?:spec|status)\..+)`$/gm)].map(([, path]) => path);
    expect(sections).toEqual(fields);
  });

  // They are in no schema, where a value would be stored in every object.
  test.each([
    { field: 'recentRunsLimit', want: `${DEFAULT_RECENT_RUNS_LIMIT} when not set` },
    { field: 'runContext', want: 'None, also when not set' },
  ])('says the default of $field in words', ({ field, want }) => {
    const [, section = ''] = page.split(`\n### \`spec.${field}\`\n`);
    const [text = ''] = section.split('\n### ');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(want);
    const { spec } = cronJobCrd({ type: 'object' }).spec.versions[0].schema.openAPIV3Schema.properties ?? {};
    expect(spec?.properties?.[field]).not.toHaveProperty('default');
  });

  test('has every reason of events and conditions, and every annotation', () => {
    const reasons = Object.values(CONDITION_REASONS).flatMap((byReason) => Object.keys(byReason));
    const keys = annotations().map(({ key }) => key);
    const words = [...Object.keys(EVENT_REASONS), ...reasons, ...keys];
    expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
  });

  test('links to headings and files that are there', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));
    const links = [...page.replaceAll(/`.*?`/g, '').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !link.startsWith('https://'));
    expect(local.length).toBeGreaterThan(20);
    const isThere = (link: string) => (link.startsWith('#') ? headings.includes(link) : existsSync(join(DOCS, link)));
    expect(local.filter((link) => !isThere(link))).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
  });

  test('is no wider than a terminal, tables and patterns aside', () => {
    const wide = page.split('\n').filter((line) => line.length > 120 && !line.startsWith('|') && !line.includes('`^'));
    expect(wide).toEqual([]);
  });
});

const NOTHING = {
  kubernetesVersion: 'v1.0.0',
  annotations: [],
  eventReasons: {},
  conditionReasons: {},
  samples: new Map(),
};

test('lists rules wherever they stand in the schema', () => {
  const crd = cronJobCrd({
    type: 'object',
    properties: {
      spec: { type: 'object', description: 'A Job.' },
      list: {
        type: 'array',
        description: 'A list.',
        items: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a', message: 'must a' }] },
      },
    },
  });
  expect(apiReferencePage({ ...NOTHING, crd })).toContain(
    '- `spec.jobTemplate.list[]` must a. The rule on `spec.jobTemplate.list[]`: `self.a`',
  );
});

test('an annotation is told about as its comment in the source does', () => {
  const source =
    '/** Other. */\nconst a = 1;\n/**\n * Of two\n * lines.\n */\nexport const B_ANNOTATION = 2;\nexport const C = 3;\n';
  expect([...docComments(source)]).toEqual([['B_ANNOTATION', 'Of two lines.']]);
});

test('an annotation without a comment in the source is refused', () => {
  expect(() => annotations('')).toThrow('_ANNOTATION has no doc comment in api/v1/groupversion.ts');
});
