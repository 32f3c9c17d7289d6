/** The figures in schedule/README.md that `npm run bench:schedule` measures besides the speed: time zones, descriptions and bundles. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { run } from '../../hack/control-plane/run.ts';
import { installPacked } from '../packages/install-packed.ts';

/** Rows of the table, in its order. */
export const FIGURES = {
  next: 'one `next` of a parsed schedule, µs',
  parse: 'parsing, µs',
  first: 'parsing with the name of a time zone, and one `next`, µs',
  zone: 'the same, for the first schedule in a time zone, µs',
  describe: 'a description, µs',
  size: 'minified bundle, KB',
  zippedSize: 'the bundle with gzip, KB',
} as const;
export type Figure = keyof typeof FIGURES;

/** Columns of the table: libraries. */
export const LIBRARIES = ['ours', 'cron-parser', 'croner', 'cronstrue'] as const;
export type Library = (typeof LIBRARIES)[number];

/** The measured values for each figure and library. */
export type Figures = Readonly<Partial<Record<Figure, Readonly<Partial<Record<string, readonly number[]>>>>>>;

const CRONSTRUE_VERSION = '3.39.0';
/** Calls before a measurement, in which the engine compiles the code. */
const WARM_UP_CALLS = 1000;

/** Returns the heading of the table with the installed versions. */
export function formatHeading(): string {
  const version = (name: string) =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../../node_modules', name, 'package.json'), 'utf8')).version;
  const names = [
    `cron-parser ${version('cron-parser')}`,
    `croner ${version('croner')}`,
    `cronstrue ${CRONSTRUE_VERSION}`,
  ];
  return `| ${['', 'this package', ...names].join(' | ')} |`;
}

export function formatTable(figures: Figures): string {
  const rows = Object.entries(FIGURES).map(([figure, label]) => {
    const cells = LIBRARIES.map((library) => formatRange(figures[figure as Figure]?.[library]));
    return `| ${[label, ...cells].join(' | ')} |`;
  });
  return [formatHeading(), `|${' --- |'.repeat(LIBRARIES.length + 1)}`, ...rows].join('\n');
}

function formatRange(values: readonly number[] = []): string {
  if (values.length === 0) return '';
  const [least, most] = [Math.min(...values), Math.max(...values)].map(formatNumber);
  return least === most ? `${least}` : `${least}-${most}`;
}

function formatNumber(value: number): string {
  return value < 10 ? String(Number(value.toPrecision(2))) : Math.round(value).toLocaleString('en');
}

/**
 * Returns the mean CPU time, in microseconds, of the first call in a time zone. Each library gets other zones, because the engine may load
 * the data of a zone once.
 */
export function measureFirstInZone(
  calls: Readonly<Record<string, (timeZone: string) => unknown>>,
  timeZones: readonly string[],
): Readonly<Record<string, readonly number[]>> {
  const libraries = Object.entries(calls);
  const means = libraries.map(([name, call], library) => {
    for (let calls = 0; calls < WARM_UP_CALLS; calls++) call('UTC');
    const own = timeZones.filter((_, index) => index % libraries.length === library);
    const start = readCpuMicroseconds();
    for (const timeZone of own) call(timeZone);
    return [name, [(readCpuMicroseconds() - start) / own.length]] as const;
  });
  return Object.fromEntries(means);
}

/** Other programs on the machine change the CPU time less than the duration. */
export function readCpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

interface Bundles {
  readonly size: Readonly<Record<string, readonly number[]>>;
  readonly zippedSize: Readonly<Record<string, readonly number[]>>;
  /** Size of this package for Node, which uses the whole cron-parser. */
  readonly nodeSize: number;
  /** Describes a schedule with cronstrue, which this repository does not depend on. */
  readonly describeWithCronstrue: (schedule: string) => string;
}

/** Installs the libraries into a folder, and bundles each with esbuild. */
export async function bundleLibraries(home: string): Promise<Bundles> {
  const cronstrueHome = join(home, 'cronstrue');
  mkdirSync(cronstrueHome);
  mkdirSync(join(home, 'ours'));
  await installPacked('schedule', join(home, 'ours'), join(home, 'output'));
  await run('npm', ['install', '--prefix', cronstrueHome, `cronstrue@${CRONSTRUE_VERSION}`], { cwd: cronstrueHome });
  const folders: Readonly<Record<Library, readonly [folder: string, name: string]>> = {
    ours: [join(home, 'ours'), 'kubernetes-cron-schedule'],
    'cron-parser': [import.meta.dirname, 'cron-parser'],
    croner: [import.meta.dirname, 'croner'],
    cronstrue: [cronstrueHome, 'cronstrue'],
  };
  const sizes: Record<string, readonly number[]> = {};
  const zippedSizes: Record<string, readonly number[]> = {};
  for (const library of LIBRARIES) {
    const code = await bundle(...folders[library], 'browser');
    sizes[library] = [code.length / 1000];
    zippedSizes[library] = [gzipSync(code).length / 1000];
  }
  const nodeSize = (await bundle(...folders.ours, 'node')).length / 1000;
  const { default: cronstrue } = await import(
    pathToFileURL(join(cronstrueHome, 'node_modules/cronstrue/dist/cronstrue.js')).href
  );
  return { size: sizes, zippedSize: zippedSizes, nodeSize, describeWithCronstrue: cronstrue.toString };
}

async function bundle(folder: string, name: string, platform: 'browser' | 'node'): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${name}';`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}
