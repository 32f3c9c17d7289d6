import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import { createCronJobCrd } from '../crd/cronjob-crd.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/cronjob-v1.md'), 'utf8');

// The schema does not have them, because its defaults would be stored in every object.
test.each([
  { field: 'recentRunsLimit', want: `Defaults to ${DEFAULT_RECENT_RUNS_LIMIT}` },
  { field: 'runContext', want: 'None, the default, sets no variables' },
])('the page describes the default of $field in words', ({ field, want }) => {
  const [, section = ''] = page.split(`\n### \`spec.${field}\`\n`);
  const [text = ''] = section.split('\n### ');
  expect(text.replaceAll(/\s+/g, ' ')).toContain(want);
  const { spec } = createCronJobCrd({ type: 'object' }).spec.versions[0].schema.openAPIV3Schema.properties ?? {};
  expect(spec?.properties?.[field]).not.toHaveProperty('default');
});
