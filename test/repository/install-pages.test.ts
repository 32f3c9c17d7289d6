/** The pages about the installation match the manifests. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const PROJECT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');

interface RbacRole {
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const roles: readonly RbacRole[] = globSync('config/rbac/*role.yaml', { cwd: PROJECT }).map((file) =>
  parse(read(file)),
);

/** Names in a cell of a table; an RBAC rule may have kustomize's prefix. */
function parseNames(cell: string): readonly string[] {
  return [...cell.matchAll(/`?([\w./-]+)`?/g)].map(([, name = '']) => name.replace(/^cronjob-operator-/, ''));
}

/** The rules in the tables below each heading of the page, as in a role; the last column has the reason. */
function parseDocumentedRoles(): Readonly<Record<string, unknown>> {
  const sections = read('docs/security.md').split(/^(?=##+ )/m);
  const ofRoles = sections
    .filter((section) => section.startsWith('### '))
    .map((section) => section.slice('### '.length));
  const entries = ofRoles.map((section) => {
    const [title = ''] = section.split('\n', 1);
    const table = section.match(/^\|.*\|$/gm)?.slice(2) ?? [];
    const rows = table.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    for (const row of rows) expect([title, row.at(-1)]).not.toEqual([title, '']);
    const rules = rows.map((row) => row.slice(0, -1).map((cell) => parseNames(cell).toSorted()));
    return [title, rules.toSorted()] as const;
  });
  return Object.fromEntries(entries);
}

function toRows({ rules }: RbacRole): unknown {
  const rows = rules.map(({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs, verbs }) => {
    const columns =
      nonResourceURLs === undefined ? [apiGroups, resources, resourceNames, verbs] : [nonResourceURLs, verbs];
    return columns.map((column) => column.filter((name) => name !== '').toSorted());
  });
  return rows.toSorted();
}

test('docs/security.md has exactly the permissions of the roles', () => {
  expect(roles.length).toBeGreaterThan(7);
  expect(parseDocumentedRoles()).toEqual(Object.fromEntries(roles.map((role) => [role.metadata.name, toRows(role)])));
});

test('every target, folder and page in docs/install.md exists', () => {
  const page = read('docs/install.md');
  const targets = [...page.matchAll(/\bmake ([a-z][a-z0-9 -]*[a-z0-9])/g)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const makefile = read('Makefile');
  expect(targets.filter((target) => !makefile.includes(`.PHONY: ${target}\n`))).toEqual([]);
  const folders = [...page.matchAll(/\bconfig\/[\w/-]+/g)].map(([folder]) => folder);
  expect(folders.filter((folder) => globSync(`${folder}/kustomization.yaml`, { cwd: PROJECT }).length === 0)).toEqual(
    [],
  );
  const pages = [...page.matchAll(/\]\(([\w./-]+\.md)/g)].map(([, link = '']) => link);
  expect(pages.filter((link) => globSync(link, { cwd: join(PROJECT, 'docs') }).length === 0)).toEqual([]);
  expect(Math.min(targets.length, folders.length, pages.length)).toBeGreaterThan(2);
});
