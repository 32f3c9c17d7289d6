/** Writes the files of a project. A refusal writes nothing. */
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Api, pluralize, toKebabCase, type WebhookType } from './names.ts';
import {
  type Files,
  OPERATOR_FILE,
  renderApi,
  renderProject,
  renderWebhookWiring,
  renderWiring,
  type Wiring,
} from './template.ts';

/** An expected failure, whose message tells the user what to change. */
export class RefusedError extends Error {}

/** Where the project gets controller-runtime from. */
export interface Dependency {
  /** A version for package.json, or a path of a tarball, which the project gets a copy of. Default: the template's. */
  readonly controllerRuntime?: string | undefined;
}

/** Throws a {@link RefusedError} unless a new project can be written into `folder`: the folder is absent or empty. */
export function checkNewFolder(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new RefusedError(`${folder} is a file: choose another folder`);
  const entries = readdirSync(folder).filter((name) => name !== '.git');
  if (entries.length > 0)
    throw new RefusedError(`${folder} is not empty (${entries.slice(0, 3).join(', ')}): choose another folder`);
}

/**
 * Writes a new project with one kind into `folder`. Returns the paths of the files.
 *
 * @param name Name of the operator.
 */
export function writeProject(
  folder: string,
  name: string,
  api: Api,
  { controllerRuntime }: Dependency,
): readonly string[] {
  checkNewFolder(folder);
  const isTarball = controllerRuntime?.endsWith('.tgz') ?? false;
  if (isTarball && !existsSync(controllerRuntime ?? ''))
    throw new RefusedError(`--controller-runtime: ${controllerRuntime} does not exist`);
  const files = new Map(renderProject(name, api));
  if (controllerRuntime !== undefined) setDependency(files, controllerRuntime, isTarball);
  writeFiles(folder, files);
  if (controllerRuntime !== undefined && isTarball)
    copyFileSync(controllerRuntime, join(folder, basename(controllerRuntime)));
  return [...files.keys()];
}

function setDependency(files: Map<string, string>, controllerRuntime: string, isTarball: boolean): void {
  const version = isTarball ? `file:${basename(controllerRuntime)}` : controllerRuntime;
  replaceIn(files, 'package.json', /"controller-runtime": "[^"]*"/, `"controller-runtime": ${JSON.stringify(version)}`);
}

function replaceIn(files: Map<string, string>, path: string, pattern: RegExp, replacement: string): void {
  files.set(
    path,
    (files.get(path) ?? '').replace(pattern, () => replacement),
  );
}

/** Adds a kind to the project in `folder`. Returns the paths of the new and changed files. */
export function addApi(folder: string, api: Api): readonly string[] {
  const files = renderApi(api);
  const crd = `config/crd/bases/${api.group}_${api.plural}.yaml`;
  return addFiles(folder, files, renderWiring(api), {
    crd,
    hint: 'choose another kind or plural; to add a version, see docs/versions.md of controller-runtime',
  });
}

/** Adds webhooks to a kind of the project in `folder`. Returns the paths of the new and changed files. */
export function addWebhooks(folder: string, kind: string, webhooks: readonly WebhookType[]): readonly string[] {
  const { group, version } = findKind(folder, kind);
  const api: Api = { group, version, kind, plural: pluralize(kind), scope: 'Namespaced', webhooks };
  const files = [...renderApi(api)].filter(([path]) => path.startsWith('webhooks/'));
  return addFiles(folder, new Map(files), renderWebhookWiring(api), { hint: 'edit the files' });
}

/** Reads the version of a kind from the folder of its schema, and the group from the schema. */
function findKind(folder: string, kind: string): Pick<Api, 'group' | 'version'> {
  const schemas = globSync(`api/*/${toKebabCase(kind)}-types.ts`, { cwd: folder });
  const [schema = ''] = schemas;
  const group =
    schemas.length === 1 ? /group: '([^']+)'/.exec(readFileSync(join(folder, schema), 'utf8'))?.[1] : undefined;
  if (group === undefined)
    throw new RefusedError(`--kind: exactly one file api/*/${toKebabCase(kind)}-types.ts with the group must exist`);
  return { group, version: basename(dirname(schema)) };
}

function addFiles(
  folder: string,
  files: Files,
  wiring: readonly Wiring[],
  { crd, hint }: { readonly crd?: string; readonly hint: string },
): readonly string[] {
  const operatorFile = join(folder, OPERATOR_FILE);
  if (!existsSync(operatorFile))
    throw new RefusedError(
      `${OPERATOR_FILE} is missing: run this command in the folder of a project that this command created`,
    );
  const paths = [...files.keys(), ...(crd === undefined ? [] : [crd])];
  const existing = paths.filter((path) => existsSync(join(folder, path)));
  if (existing.length > 0) throw new RefusedError(`${existing.join(', ')} exists already: ${hint}`);
  const text = wiring.reduce(addLines, readFileSync(operatorFile, 'utf8'));
  const changes = new Map([...files, [OPERATOR_FILE, text]]);
  writeFiles(folder, changes);
  return [...changes.keys()].toSorted();
}

function addLines(text: string, { marker, lines }: Wiring): string {
  const markerLine = new RegExp(`^[ \\t]*// \\${marker}$`, 'm').exec(text);
  if (markerLine === null)
    throw new RefusedError(
      `${OPERATOR_FILE}: the line "// ${marker}" is missing. Add it where these lines belong: ${lines.join(' ').trim()}`,
    );
  const added = lines.map((line) => `${line}\n`).join('');
  return text.slice(0, markerLine.index) + added + text.slice(markerLine.index);
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
