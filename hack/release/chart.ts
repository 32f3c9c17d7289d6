import { cp, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { run } from '../control-plane/run.ts';

const PROJECT = join(import.meta.dirname, '../..');
const CHART = 'charts/cronjob-operator';
/** The repository of the image in values.yaml of the sources. */
const REPOSITORY_PATTERN = /(?<=^image:\n {2}repository: ).*/m;

interface ChartOptions {
  /** Path of helm. */
  readonly helm: string;
  /** Name of the image, without a tag: the default of the packed chart. */
  readonly image: string;
  /** New folder for the chart and for index.yaml, which makes the folder a repository of charts. */
  readonly folder: string;
  /** The time in the archive and in index.yaml. */
  readonly time: Date;
}

/** Packs the Helm chart. The files of two builds are identical if the time is the same. */
export async function packChart({ helm, image, folder, time }: ChartOptions): Promise<void> {
  const copy = join(folder, 'sources', 'cronjob-operator');
  await mkdir(copy, { recursive: true });
  await cp(join(PROJECT, CHART), copy, { recursive: true });
  const values = await readFile(join(copy, 'values.yaml'), 'utf8');
  await writeFile(join(copy, 'values.yaml'), values.replace(REPOSITORY_PATTERN, image));
  for (const path of await readdir(copy, { recursive: true })) await utimes(join(copy, path), time, time);
  await run(helm, ['lint', '--strict', copy]);
  const output = join(folder, 'repository');
  await run(helm, ['package', copy, '--destination', output]);
  await run(helm, ['repo', 'index', output]);
  const index = parse(await readFile(join(output, 'index.yaml'), 'utf8'));
  for (const charts of Object.values<{ created: string }[]>(index.entries))
    for (const chart of charts) chart.created = time.toISOString();
  await writeFile(join(output, 'index.yaml'), stringify({ ...index, generated: time.toISOString() }));
}
