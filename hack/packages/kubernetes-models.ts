import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const CLIENT_NODE_FOLDER = join(import.meta.dirname, '../../node_modules/@kubernetes/client-node');
/** The module of client-node from which this repository imports types. */
const MODELS_MODULE = '@kubernetes/client-node/dist/gen/models/all.js';
/** The module of the built package that replaces {@link SOURCE}. */
const MODELS_FILE = 'kubernetes/models';

/**
 * Copies the imported types of client-node into a file of `packageFolder`, and rewrites the imports. Users of the package therefore do not
 * need client-node, which has a size of 63 MB.
 */
export function bundleModels(packageFolder: string): void {
  const importers = listDeclarationFiles(packageFolder).filter((file) =>
    readFileSync(file, 'utf8').includes(MODELS_MODULE),
  );
  if (importers.length === 0) return;
  const models = new Map<string, string>();
  for (const file of importers) {
    const text = readFileSync(file, 'utf8');
    addImportedModels(text, models);
    writeFileSync(
      file,
      text.replaceAll(MODELS_MODULE, `./${relative(dirname(file), join(packageFolder, `${MODELS_FILE}.js`))}`),
    );
  }
  const { version, license } = JSON.parse(readFileSync(join(CLIENT_NODE_FOLDER, 'package.json'), 'utf8'));
  const origin = `/** Types of @kubernetes/client-node ${version}, ${license}, by the Kubernetes authors. */\n`;
  writeFileSync(join(packageFolder, `${MODELS_FILE}.d.ts`), origin + [...models.values()].join(''));
}

function listDeclarationFiles(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.endsWith('.d.ts')).map((path) => join(folder, path));
}

/** Adds the models that `text` imports, directly or indirectly. */
function addImportedModels(text: string, models: Map<string, string>): void {
  const imports = text.matchAll(/^import (?:type )?\{([^}]+)\} from '(?:\.\.\/.*|@kubernetes\/.*)';$/gm);
  const names = [...imports].flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  for (const name of names.filter((each) => !models.has(each))) {
    const file = join(CLIENT_NODE_FOLDER, 'dist/gen/models', `${name}.d.ts`);
    if (!existsSync(file)) models.set(name, extractType(name));
    else {
      const model = readFileSync(file, 'utf8');
      models.set(name, toInterface(model));
      addImportedModels(model, models);
    }
  }
}

/**
 * Converts the class of a model to an interface, because the package does not contain the class. Editors would show the quotes around the
 * names of its fields.
 */
function toInterface(model: string): string {
  const [, fields] = /\*\/\n(?:import .*\n)*([\s\S]*?)\n {4}static readonly /.exec(model) ?? [];
  if (fields === undefined) throw new Error(`not a model of client-node: ${model}`);
  const body = fields.replace('export declare class', 'export interface').replace(/^( {4})'(\w+)'(?=\??:)/gm, '$1$2');
  return `${body}\n}\n`;
}

/** Returns a type without its own model file, such as `IntOrString`. */
function extractType(name: string): string {
  const types = readFileSync(join(CLIENT_NODE_FOLDER, 'dist/types.d.ts'), 'utf8');
  const [declaration] =
    new RegExp(`^export (?:type ${name} = .*|declare class ${name} [^}]*})\n`, 'm').exec(types) ?? [];
  if (declaration === undefined) throw new Error(`client-node does not declare ${name}`);
  return declaration;
}
