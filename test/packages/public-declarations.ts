/** The exports of a package's entry points, with the documentation comments of their declarations. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { createPublishedManifest, type PackageManifest } from '../../hack/packages/published-manifest.ts';

const PROJECT = join(import.meta.dirname, '../..');

type Program = ReturnType<typeof parseSync>['program'];
type Statement = Program['body'][number];
type Declaration = NonNullable<Extract<Statement, { type: 'ExportNamedDeclaration' }>['declaration']>;

interface PublicDeclaration {
  /** Name of an export, or `Name.member` for a member of an exported class, interface or object type. */
  readonly name: string;
  /** Path of the file relative to the project, with the line. */
  readonly place: string;
  readonly isDocumented: boolean;
}

interface Module {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
}

/** Lists each export of the published entry points of the package in `folder` and its public members. */
export function listPublicDeclarations(folder: string): readonly PublicDeclaration[] {
  const found = readEntries(folder).flatMap((entry) => listExports(entry));
  return [...new Map(found.map((each) => [`${each.place} ${each.name}`, each])).values()];
}

/**
 * Lists the names of `export *` in the published entry points that another export of the same module hides. JavaScript and TypeScript
 * report no error for such a name.
 */
export function listHiddenNames(folder: string): readonly string[] {
  return [...new Set(readEntries(folder).flatMap(findHiddenNames))];
}

function findHiddenNames(module: Module): readonly string[] {
  const { body } = module.program;
  return body.flatMap((statement) => {
    if (statement.type !== 'ExportAllDeclaration') return [];
    const otherNames = new Set(body.flatMap((other) => (other === statement ? [] : listNames(module, other))));
    const hiddenNames = listNames(module, statement).filter((name) => otherNames.has(name));
    return [
      ...hiddenNames.map((name) => `${module.path}: ${name} of ${statement.source.value}`),
      ...findHiddenNames(resolve(module, statement.source.value)),
    ];
  });
}

/** Lists the names that `statement` exports: values and types. */
function listNames(module: Module, statement: Statement): readonly string[] {
  if (statement.type === 'ExportAllDeclaration') {
    const source = resolve(module, statement.source.value);
    return source.program.body.flatMap((each) => listNames(source, each));
  }
  if (statement.type !== 'ExportNamedDeclaration') return [];
  if (statement.declaration !== null) return listDeclaredNames(statement.declaration);
  return statement.specifiers.map(({ exported }) => getName(exported));
}

function readEntries(folder: string): readonly Module[] {
  const manifest: PackageManifest = JSON.parse(readFileSync(join(PROJECT, folder, 'package.json'), 'utf8'));
  const { exports } = createPublishedManifest(manifest, { folder }) as PackageManifest;
  const entries = Object.entries(manifest.exports).filter(([name]) => name in exports);
  return entries.map(([, source]) => readModule(join(folder, source)));
}

function readModule(path: string): Module {
  const text = readFileSync(join(PROJECT, path), 'utf8');
  return { path, text, program: parseSync(path, text).program };
}

/** @param wanted Names in the module. Default: all its exports. */
function listExports(module: Module, wanted?: readonly string[]): readonly PublicDeclaration[] {
  return module.program.body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') return listExports(resolve(module, statement.source.value), wanted);
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (statement.declaration !== null)
      return describeDeclaration(module, statement.start, statement.declaration, wanted);
    const names = statement.specifiers.map(({ local, exported }) => ({ local: getName(local), as: getName(exported) }));
    const locals = names.filter(({ as }) => wanted === undefined || wanted.includes(as)).map(({ local }) => local);
    if (locals.length === 0 || statement.source === null) return [];
    return listExports(resolve(module, statement.source.value), locals);
  });
}

function resolve({ path }: Module, source: string): Module {
  return readModule(join(dirname(path), source));
}

function describeDeclaration(
  module: Module,
  start: number,
  declaration: Declaration,
  wanted: readonly string[] | undefined,
): readonly PublicDeclaration[] {
  return listDeclaredNames(declaration)
    .filter((name) => wanted === undefined || wanted.includes(name))
    .flatMap((name) => [
      describe(module, name, start),
      ...listMembers(declaration).map((member) => describe(module, `${name}.${member.name}`, member.start)),
    ]);
}

function listDeclaredNames(declaration: Declaration): readonly string[] {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => getName(id));
  return 'id' in declaration && declaration.id !== null ? [getName(declaration.id)] : [];
}

interface Member {
  readonly name: string;
  readonly start: number;
}

/**
 * Members that a user can read or call. Omits members that need no comment: of an implemented interface and of a base class, which editors
 * show, of a literal type, such as `kind: 'Pod'`, and overloads after the first.
 */
function listMembers(declaration: Declaration): readonly Member[] {
  const members = listMemberNodes(declaration).flatMap((node): readonly Member[] => {
    if (!('key' in node) || node.key === null || node.key.type !== 'Identifier') return [];
    if ('kind' in node && node.kind === 'constructor') return [];
    if ('override' in node && node.override) return [];
    if ('typeAnnotation' in node && node.typeAnnotation?.typeAnnotation.type === 'TSLiteralType') return [];
    return [{ name: node.key.name, start: node.start }];
  });
  return members.filter(({ name }, index) => members.findIndex((each) => each.name === name) === index);
}

function listMemberNodes(declaration: Declaration) {
  switch (declaration.type) {
    case 'ClassDeclaration':
      return declaration.implements?.length ? [] : declaration.body.body;
    case 'TSInterfaceDeclaration':
      return declaration.body.body;
    case 'TSTypeAliasDeclaration':
      return declaration.typeAnnotation.type === 'TSTypeLiteral' ? declaration.typeAnnotation.members : [];
    default:
      return [];
  }
}

function describe({ path, text }: Module, name: string, start: number): PublicDeclaration {
  const before = text.slice(0, start);
  return { name, place: `${path}:${before.split('\n').length}`, isDocumented: /\*\/\s*(?:\/\/.*\s*)*$/.test(before) };
}

function getName(node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string {
  return String(node.name ?? node.value);
}
