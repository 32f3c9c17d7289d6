import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KUBECONFIG_FIELDS, type KubeConfigSection } from './kubeconfig-fields.ts';

/** The JSON names of the fields in client-go v0.36.3, tools/clientcmd/api/v1/types.go. */
const CLIENT_GO: Readonly<Record<KubeConfigSection, string>> = {
  config: 'kind apiVersion preferences clusters users contexts current-context extensions',
  cluster:
    'server tls-server-name insecure-skip-tls-verify certificate-authority certificate-authority-data proxy-url disable-compression extensions',
  user: 'client-certificate client-certificate-data client-key client-key-data token tokenFile as as-uid as-groups as-user-extra username password auth-provider exec extensions',
  context: 'cluster user namespace extensions',
  exec: 'command args env apiVersion installHint provideClusterInfo interactiveMode',
};

const parts = Object.entries(KUBECONFIG_FIELDS) as [KubeConfigSection, (typeof KUBECONFIG_FIELDS)[KubeConfigSection]][];

test.each(parts)(
  'lists every field of a %s that client-go has as honoured, refused or without effect',
  (part, fields) => {
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(CLIENT_GO[part].split(' ')));
  },
);

test('docs/install.md lists each field that is refused or has no effect, and says how it handles each field that it lists', () => {
  const rows = [
    ...readFileSync('docs/install.md', 'utf8').matchAll(
      /^\| ((?:config|cluster|user|context|exec)(?:, \w+)*) +\| `([\w-]+)` +\| (refused|ignored)?/gm,
    ),
  ];
  const kinds = new Map([
    ['refused', 'refused'],
    ['ignored', 'without effect'],
  ]);
  const documented = rows.flatMap(([, sections = '', field, treatment = '']) =>
    sections.split(', ').map((section) => `${section} ${field}: ${kinds.get(treatment) ?? 'honoured'}`),
  );
  const want = parts.flatMap(([part, fields]) =>
    Object.entries(fields).map(([field, { kind }]) => `${part} ${field}: ${kind}`),
  );
  expect(want).toEqual(expect.arrayContaining(documented));
  expect(documented).toEqual(expect.arrayContaining(want.filter((row) => !row.endsWith(': honoured'))));
});
