/** `--print`: writes manifests for a repository that a tool applies, and the order in which to commit them. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOf } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { scheduleOf } from '../report/schedule-of.ts';
import { asYaml } from '../terminal/documents.ts';
import { shownTime } from '../terminal/times.ts';
import type { Context } from './context.ts';
import { type ConvertedCronJob, convert, suspendedSource } from './convert.ts';
import { helmNotes } from './kept-by.ts';
import { type Plan, planOf } from './plan.ts';
import { type SourceCronJob, STILL_MS } from './source.ts';

const SUSPEND = '1-suspend';
const CREATE = '2-create';

/** Rejects with a CommandError when the folder is not empty or cannot be written. */
export async function printManifests(found: readonly SourceCronJob[], folder: string, context: Context): Promise<void> {
  const { clock, report } = context;
  try {
    // Reports and omits a source that our API would refuse. Objects that a tool keeps are allowed, because this mode is for them.
    const plans = await report.each(found, keyOf, (each) => planOf(each, context, true));
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0)
      throw new CommandError(`--print: ${folder} is not empty; give another folder`);
    for (const step of [SUSPEND, CREATE]) await mkdir(join(folder, step));
    for (const { source, converted, notes } of plans) {
      const file = `${source.metadata.namespace}-${source.metadata.name}.yaml`;
      await writeFile(join(folder, SUSPEND, file), asYaml(suspendedSource(source)));
      const comments = [...notes, ...helmNotes(source)].map((note) => `# ${note}\n`).join('');
      await writeFile(join(folder, CREATE, file), `${comments}${asYaml(converted)}`);
    }
    const order = orderOf(plans, clock.now());
    await writeFile(join(folder, 'README.md'), order);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new CommandError(`--print: ${error.message}`);
    throw error;
  }
  report.done('manifests are written:', `see ${join(folder, 'README.md')} for the order to commit them in`);
}

const SHOWN_TIMES = 3;

function orderOf(plans: readonly Plan[], now: Date): string {
  return `# From batch/v1, by commits

1. Commit the manifests of \`${SUSPEND}\` in place of those that you have: they are the same, with \`suspend: true\`.
2. Wait until they are applied and ${STILL_MS / 1000} seconds have passed. Under Forbid and Replace wait also until no run is active.
3. Commit those of \`${CREATE}\` beside them.
4. When a run has succeeded, delete those of \`${SUSPEND}\` from the repository.

A time that comes between the first and the third step is not run by itself. Choose a gap between the times below; or set the annotation
\`${TAKES_OVER_FROM_ANNOTATION}\` on the new ones to the time of the first step, such as \`2026-01-02T15:04:05Z\`, and apply them within ten
minutes of it: then the newest of the times after it runs at once.

| CronJob | Next times |
| --- | --- |
${plans.map(({ source }) => `| ${keyOf(source)} | ${nextTimes(source, now)} |`).join('\n')}
`;
}

function nextTimes(source: SourceCronJob, now: Date): string {
  const { converted } = convert(source, false);
  const times: string[] = [];
  const schedule = scheduleOf(asStored(converted, source));
  for (let next = schedule?.next(now); next !== undefined && times.length < SHOWN_TIMES; next = schedule?.next(next)) {
    times.push(shownTime(next, converted.spec.timeZone));
  }
  return times.join(', ') || 'none';
}

function asStored(converted: ConvertedCronJob, { metadata }: SourceCronJob): CronJob {
  const { uid, creationTimestamp, resourceVersion } = metadata;
  return { ...converted, metadata: { ...converted.metadata, uid, creationTimestamp, resourceVersion } };
}
