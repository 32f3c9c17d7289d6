/**
 * Who may import whom. An arrow may be skipped, never reversed:
 *
 *   cmd → controllers/*.ts (the shell) → runtime → the libraries for I/O, one file each
 *                    ↓
 *        controllers/cronjob (the core) → api → zod; date-fns-tz in one file
 *                                         ↓
 *                                    runtime/kubernetes (Kubernetes' own vocabulary)
 *
 * quick-lru may be anywhere. So may packages of this repository (schedule/), by their names: what lies in their folders is
 * imported by nobody else, and imports nothing outside. A kind is defined with runtime/schema. The examples of runtime/ import what
 * other people's operators would: that package by its name, and zod.
 * test and hack import anything; nothing that ships imports them.
 */
import type { Import } from './imports.ts';

type Layer = 'example' | 'schedule' | 'kubernetes' | 'schema' | 'api' | 'core' | 'shell' | 'runtime' | 'cmd';

/** The layers that each may import, itself included. */
const ALLOWED: Readonly<Record<Layer, readonly Layer[]>> = {
  example: ['example'],
  schedule: ['schedule'],
  kubernetes: ['kubernetes'],
  schema: ['schema', 'kubernetes', 'runtime'],
  api: ['api', 'kubernetes', 'schema'],
  core: ['core', 'api', 'kubernetes'],
  shell: ['shell', 'core', 'api', 'runtime', 'kubernetes', 'schema'],
  runtime: ['runtime', 'kubernetes', 'schema'],
  cmd: ['cmd', 'shell', 'core', 'api', 'runtime', 'kubernetes', 'schema'],
};

/** They take values and return values: neither files nor sockets nor a clock. */
const PURE_LAYERS: readonly Layer[] = ['schedule', 'kubernetes', 'api', 'core'];
/** Comparing and hashing take values and return values too. */
const PURE_BUILT_INS: readonly string[] = ['node:util', 'node:crypto'];
/** Data of the project that belongs to no layer. */
const DATA_FILES: readonly string[] = ['package.json'];

/** Where each package may be imported. Types of a package may also be used in the layers named in `types`. */
const PACKAGES: Readonly<
  Record<string, { readonly under: string | readonly string[]; readonly types?: readonly Layer[] }>
> = {
  zod: { under: ['api/', 'runtime/schema/', 'runtime/examples/'] },
  'controller-runtime': { under: 'runtime/examples/' },
  yaml: { under: 'runtime/schema/' },
  'quick-lru': { under: '' },
  'kubernetes-cron-schedule': { under: '' },
  'cron-parser': { under: 'schedule/cron-fields.ts' },
  'date-fns-tz': { under: 'api/v1/schedule.ts' },
  // Only its types: runtime/client/kubeconfig honours more of a kubeconfig, and shows nothing of it in errors.
  '@kubernetes/client-node': {
    under: 'runtime/client/',
    types: ['kubernetes', 'schema', 'api', 'core', 'shell', 'runtime', 'cmd'],
  },
  'js-yaml': { under: 'runtime/client/kubeconfig/' },
  undici: { under: 'runtime/client/', types: ['runtime'] },
  winston: { under: 'runtime/log/' },
  'prom-client': { under: 'runtime/metrics/' },
  commander: { under: 'runtime/flags/' },
};
/**
 * Describing data is what zod is for, wherever data is described, a bounded map is as plain as a Map, and our own packages are
 * there to be used; of the others, one file knows each.
 */
const PACKAGES_OF_MANY_FILES: readonly string[] = [
  'zod',
  'quick-lru',
  'kubernetes-cron-schedule',
  'controller-runtime',
];

/** Imports of each file, by its path from the project's folder. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

/** One sentence for each import that breaks the rules. */
export function brokenRules(graph: ImportGraph): readonly string[] {
  const broken: string[] = [];
  for (const [file, imports] of graph) {
    for (const imported of imports) {
      const reason = reasonAgainst(file, imported);
      if (reason !== undefined) broken.push(`${file}:${imported.line} imports ${imported.target}: ${reason}`);
    }
  }
  return [...broken, ...sharedPackages(graph), ...cycles(graph)];
}

function reasonAgainst(file: string, { target, isType }: Import): string | undefined {
  if (isTest(target)) return 'tests are imported by nothing';
  const from = layerOf(file);
  if (from === undefined || isTest(file)) return undefined;
  if (DATA_FILES.includes(target)) return undefined;
  if (target.startsWith('node:')) {
    const isImpure = PURE_LAYERS.includes(from) && !PURE_BUILT_INS.includes(target);
    return isImpure ? `${from} takes values and returns values` : undefined;
  }
  if (!target.endsWith('.ts')) return reasonAgainstPackage(file, from, { target, isType });
  const to = layerOf(target);
  if (to === undefined) return 'what ships depends on no tool and no test';
  return ALLOWED[from].includes(to) ? undefined : `${from} may import ${ALLOWED[from].join(', ')}`;
}

function reasonAgainstPackage(file: string, from: Layer, used: Pick<Import, 'target' | 'isType'>): string | undefined {
  const rule = PACKAGES[used.target];
  if (rule === undefined) return 'hack/layers/rules.ts does not say where it belongs';
  const folders = [rule.under].flat();
  if (folders.some((folder) => file.startsWith(folder))) return undefined;
  if (used.isType && rule.types?.includes(from)) return undefined;
  const types = rule.types === undefined ? '' : `; as types in ${rule.types.join(', ')}`;
  return `it belongs in ${folders.join(', ')}${types}`;
}

function sharedPackages(graph: ImportGraph): readonly string[] {
  return Object.keys(PACKAGES)
    .filter((name) => !PACKAGES_OF_MANY_FILES.includes(name))
    .map((name) => ({ name, files: filesThatLoad(graph, name) }))
    .filter(({ files }) => files.length > 1)
    .map(({ name, files }) => `${files.join(', ')} import ${name}: one file should know it, the others ask that file`);
}

function filesThatLoad(graph: ImportGraph, name: string): readonly string[] {
  return [...graph]
    .filter(([file]) => layerOf(file) !== undefined && !isTest(file))
    .filter(([, imports]) => imports.some(({ target, isType }) => target === name && !isType))
    .map(([file]) => file);
}

/** Two files that need each other are one file, or three. Each cycle is told once. */
function cycles(graph: ImportGraph): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) found.push(`cycle: ${[...path.slice(start), file].join(' → ')}`);
    if (start >= 0 || done.has(file)) return;
    for (const { target } of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

function layerOf(file: string): Layer | undefined {
  if (file.startsWith('runtime/examples/')) return 'example';
  if (file.startsWith('schedule/testing/')) return undefined; // serves tests
  if (file.startsWith('schedule/')) return 'schedule';
  if (file.startsWith('api/')) return 'api';
  if (file.startsWith('controllers/cronjob/')) return 'core';
  if (file.startsWith('controllers/')) return 'shell';
  if (file.startsWith('runtime/kubernetes/')) return 'kubernetes';
  if (file.startsWith('runtime/schema/')) return 'schema';
  if (file.startsWith('runtime/')) return 'runtime';
  return file.startsWith('cmd/') ? 'cmd' : undefined;
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts');
}
