/**
 * Renders the files of template/, which is a complete operator for the kind Website. Only names differ in a created
 * project, so that the checks of this repository also check the template.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Api, toKebabCase } from './names.ts';

const TEMPLATE = join(import.meta.dirname, 'template');
/** Adds the controllers, the webhooks and the kinds to the manager. */
export const OPERATOR_FILE = 'cmd/operator.ts';
/** Before each marker are the lines of each kind. */
const MARKER = /^\s*\/\/ (\+scaffold:\S+)$/;
/** Files and lines with these names belong to the kind. */
const OF_KIND = /website(?!-operator)/i;

/** The text of each file, by its path in the project. */
export type Files = ReadonlyMap<string, string>;

/** The lines that a kind has in {@link OPERATOR_FILE} before a marker. */
export interface Wiring {
  /** Such as `+scaffold:imports`. */
  readonly marker: string;
  readonly lines: readonly string[];
}

/** Renders a project with one kind. */
export function renderProject(name: string, api: Api): Files {
  const files = listTemplateFiles()
    .filter((path) => isWanted(path, api))
    .map((path) => [path, filterLines(path, readTemplate(path), api)] as const);
  return new Map(files.map(([path, text]) => [toProjectPath(path, api), rename(text, api, name)]));
}

/** Renders the files of a kind, which a project gets in addition. */
export function renderApi(api: Api): Files {
  const paths = listTemplateFiles().filter((path) => OF_KIND.test(path) && isWanted(path, api));
  return new Map(paths.map((path) => [toProjectPath(path, api), rename(readTemplate(path), api)]));
}

/** Renders the lines of a kind in {@link OPERATOR_FILE}. */
export function renderWiring(api: Api): readonly Wiring[] {
  let lines: readonly string[] = [];
  return filterLines(OPERATOR_FILE, readTemplate(OPERATOR_FILE), api)
    .split('\n')
    .flatMap((line) => {
      const marker = MARKER.exec(line)?.[1];
      if (OF_KIND.test(line)) lines = [...lines, rename(line, api)];
      if (marker === undefined) return [];
      const wiring = { marker, lines };
      lines = [];
      return [wiring];
    });
}

/** Renders the lines of the webhooks of a kind in {@link OPERATOR_FILE}. */
export function renderWebhookWiring(api: Api): readonly Wiring[] {
  return renderWiring(api).flatMap(({ marker, lines }) => {
    const added = lines.filter((line) => marker === '+scaffold:webhooks' || line.includes('/webhooks/'));
    return added.length === 0 ? [] : [{ marker, lines: added }];
  });
}

/** Returns the names that the template imports. A kind with such a name would not compile. */
export function listImportedNames(): ReadonlySet<string> {
  const texts = listTemplateFiles()
    .filter((path) => path.endsWith('.ts'))
    .map(readTemplate);
  const lists = texts.flatMap((text) =>
    [...text.matchAll(/^import (?:type )?\{([^}]+)\}/gm)].map(([, list = '']) => list),
  );
  const names = lists.flatMap((list) => list.split(',').map((name) => name.replace('type ', '').trim()));
  return new Set(names.filter((name) => name !== '' && !OF_KIND.test(name)));
}

/** Returns the names of the packages that a project installs. npm refuses a project with such a name. */
export function listDependencies(): ReadonlySet<string> {
  const { dependencies, devDependencies } = JSON.parse(readTemplate('package.json'));
  return new Set(Object.keys({ ...dependencies, ...devDependencies }));
}

function listTemplateFiles(): readonly string[] {
  const entries = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(TEMPLATE, join(parentPath, name)));
}

function readTemplate(path: string): string {
  return readFileSync(join(TEMPLATE, path), 'utf8');
}

/** Whether the project needs the file or the line: `text` may mention a webhook that the project does not have. */
function isWanted(text: string, { webhooks }: Api): boolean {
  if (/website-?defaults/i.test(text)) return webhooks.includes('defaulting');
  return /website-?validation/i.test(text) ? webhooks.includes('validation') : true;
}

function filterLines(path: string, text: string, api: Api): string {
  if (path !== OPERATOR_FILE) return text;
  return text
    .split('\n')
    .filter((line) => isWanted(line, api))
    .join('\n');
}

/** npm leaves files with the name .gitignore out of a package, and Biome refuses a second biome.json in a repository. */
function toProjectPath(path: string, api: Api): string {
  return rename(path, api).replace('_gitignore', '.gitignore').replace('_biome', 'biome');
}

function rename(text: string, api: Api, projectName = ''): string {
  const kebab = toKebabCase(api.kind);
  const names: Readonly<Record<string, string>> = {
    'website-operator': projectName,
    'example.com': api.group,
    v1alpha1: api.version,
    websites: api.plural,
    'website-': `${kebab}-`,
    website: api.kind.toLowerCase(),
    Website: api.kind,
    // A cluster-scoped object has no namespace, and its ConfigMap is in another one.
    ...(api.scope === 'Cluster' && {
      "scope: 'Namespaced'": "scope: 'Cluster'",
      'namespace: metadata.namespace': "namespace: 'default'",
      "const key = { namespace: 'default', name": 'const key = { name',
    }),
  };
  const pattern = Object.keys(names)
    .toSorted((a, b) => b.length - a.length)
    .map((name) =>
      name === 'website-' ? 'website-(?=types|controller|defaults|validation)' : name.replace(/[.{}]/g, '\\$&'),
    )
    .join('|');
  return text.replace(new RegExp(pattern, 'g'), (name) => names[name] ?? name);
}
