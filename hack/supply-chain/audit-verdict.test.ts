import { expect, test } from 'vitest';
import { auditVerdict } from './audit-verdict.ts';

function auditReport(...vulnerabilities: readonly { readonly name: string }[]): string {
  return JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(vulnerabilities.map((each) => [each.name, each])),
    metadata: { vulnerabilities: { info: 0, total: vulnerabilities.length }, dependencies: { total: 3 } },
  });
}

const FAULT = {
  name: 'ws',
  severity: 'high',
  isDirect: false,
  via: [{ source: 1, name: 'ws', title: 'Memory is exhausted', url: 'https://example.test/1', severity: 'high' }],
  effects: [],
  range: '<8.1.0',
  nodes: ['node_modules/ws'],
  fixAvailable: true,
};

test('a report without faults passes', () => {
  expect(auditVerdict(auditReport())).toEqual({ kind: 'passed' });
});

test.each([
  [true, 'ws <8.1.0 (high): Memory is exhausted. Run `npm audit fix`, then the tests.'],
  [
    { name: 'client', version: '3.0.0', isSemVerMajor: true },
    'ws <8.1.0 (high): Memory is exhausted. Update client to 3.0.0 in package.json, then run the tests.',
  ],
  [
    false,
    'ws <8.1.0 (high): Memory is exhausted. No release without it is known: replace ws, or say in docs/security.md why it does not matter here.',
  ],
])('a fault fails, and says which package and what to do: fixAvailable %j', (fixAvailable, want) => {
  expect(auditVerdict(auditReport({ ...FAULT, fixAvailable } as never))).toEqual({ kind: 'failed', faults: [want] });
});

test('a package that is concerned through another says through which', () => {
  const verdict = auditVerdict(auditReport(FAULT, { ...FAULT, name: 'client', via: ['ws'] } as never));
  expect(verdict).toMatchObject({ faults: [{}, expect.stringContaining('client <8.1.0 (high): through ws.')] });
});

test.each([
  [
    'refuses the question',
    JSON.stringify({ message: '405 - POST https://registry.example/x', statusCode: 405, body: '' }),
  ],
  ['cannot be reached', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'https://registry.example' } })],
  ['answers what is no JSON', '<html>https://registry.example</html>'],
  ['says nothing', ''],
  ['answers an empty object', '{}'],
])('a registry that %s is never a pass, and is never named', (_name, output) => {
  expect(auditVerdict(output)).toEqual({
    kind: 'not checked',
    reason: 'the package registry does not answer which packages have known faults',
  });
});
