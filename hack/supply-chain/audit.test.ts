import { expect, test } from 'vitest';
import { parseVulnerabilityCount } from './audit.ts';

test.each([
  [0, 'without vulnerabilities'],
  [2, 'with vulnerabilities'],
])('parses a report with a total of %i vulnerabilities', (total) => {
  expect(
    parseVulnerabilityCount(JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { info: 0, total } } })),
  ).toBe(total);
});

test.each([
  ['rejects the request', JSON.stringify({ message: '405', statusCode: 405, body: '' })],
  ['cannot be reached', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'not found' } })],
  ['responds with no JSON', '<html></html>'],
  ['responds with nothing', ''],
])('does not pass when the registry %s', (_name, output) => {
  expect(parseVulnerabilityCount(output)).toBeUndefined();
});
