/** The files that a forge or an editor reads: the development container, and the templates of issues and pull requests. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const PROJECT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const exists = (path: string) => existsSync(join(PROJECT, path));
/** The words after a command in a text, such as the targets after `make`. */
const findWords = (text: string, command: string) =>
  [...text.matchAll(new RegExp(`(?<=\\b${command} )[a-z][a-z-]*`, 'g'))].map(([word]) => word);

const FORMS = ['bug', 'feature'].map((name) => `.github/ISSUE_TEMPLATE/${name}.yaml`);
const FILES = [
  '.devcontainer/Dockerfile',
  '.devcontainer/devcontainer.json',
  '.github/ISSUE_TEMPLATE/config.yml',
  ...FORMS,
  '.github/pull_request_template.md',
];

test('these tests know each file', () => {
  const patterns = ['.devcontainer/*', '.github/ISSUE_TEMPLATE/*', '.github/*.md'];
  expect(patterns.flatMap((pattern) => globSync(pattern, { cwd: PROJECT })).toSorted()).toEqual(FILES.toSorted());
});

describe.each(FILES)('%s', (file) => {
  const text = read(file);

  test('names only make targets, commands of kubectl tcj, and files that exist', () => {
    const makefile = read('Makefile');
    expect(findWords(text, 'make').filter((target) => !makefile.includes(`.PHONY: ${target}\n`))).toEqual([]);
    expect(findWords(text, 'kubectl tcj').filter((name) => !exists(`docs/kubectl-tcj/${name}.md`))).toEqual([]);
    expect([...text.matchAll(/[\w/-]+\.md\b/g)].map(([path]) => path).filter((path) => !exists(path))).toEqual([]);
  });
});

test('the files name a target and a command', () => {
  const text = FILES.map(read).join('\n');
  expect(findWords(text, 'make')).toEqual(expect.arrayContaining(['control-plane', 'test', 'verify']));
  expect(findWords(text, 'kubectl tcj')).toContain('why');
});

test('the container builds from a Dockerfile, and lets git read a clone of another user', () => {
  const { build, postCreateCommand } = JSON.parse(read('.devcontainer/devcontainer.json'));
  expect(exists(`.devcontainer/${build.dockerfile}`)).toBe(true);
  expect(postCreateCommand).toContain("git config --global --add safe.directory '*'");
});

/** The image of Go sets GOTOOLCHAIN=local, with which an older Go refuses a module. */
test('the container has a Go for every module, and the Node of CI', () => {
  const [, go] = /FROM golang:([\d.]+)-/.exec(read('.devcontainer/Dockerfile')) ?? [];
  const modules = globSync('{hack,runtime,schedule}/**/go.mod', { cwd: PROJECT });
  expect(modules).not.toEqual([]);
  for (const file of modules) expect(read(file), file).toMatch(new RegExp(`^go ${go}\\.0$`, 'm'));
  const [, node] = /FROM node:(\d+)-/.exec(read('.devcontainer/Dockerfile')) ?? [];
  expect(read('.github/workflows/test.yaml')).toContain(`node-version: ${node}\n`);
});

test.each(FORMS)('%s has a name, a description, and a label and an id of its own for each field', (file) => {
  const { name, description, body } = parse(read(file));
  for (const text of [name, description]) expect(text).toMatch(/\S/);
  const fields: readonly { readonly id: string; readonly type: string; readonly attributes: { label: string } }[] =
    body;
  for (const { type, attributes } of fields) {
    expect(['input', 'textarea']).toContain(type);
    expect(attributes.label).toMatch(/\S/);
  }
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
});

test('the page for new issues links to the security policy', () => {
  const { contact_links: links } = parse(read('.github/ISSUE_TEMPLATE/config.yml'));
  expect(links.map(({ url }: { readonly url: string }) => new URL(url).pathname)).toEqual([
    expect.stringMatching(/\/security\/policy$/),
  ]);
});
