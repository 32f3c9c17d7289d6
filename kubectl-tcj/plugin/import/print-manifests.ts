/** `kubectl tcj import --print`: writes manifests for a GitOps repository, and a README with the steps to commit them. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { parseCronJobSchedule } from '../report/cron-job-schedule.ts';
import { formatYaml } from '../terminal/documents.ts';
import { formatZonedTime } from '../terminal/format-time.ts';
import { type ConvertedCronJob, convertFromBatch, createSuspendedSource } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import { createPlan, type ImportPlan } from './import-plan.ts';
import { listHelmNotes } from './managing-tool.ts';
import { MIN_IDLE_MS, type SourceCronJob } from './source-cron-job.ts';

const SUSPEND_FOLDER = '1-suspend';
const CREATE_FOLDER = '2-create';

/** Rejects with a CommandError if the folder is not empty or not writable. */
export async function printManifests(
  sourceCronJobs: readonly SourceCronJob[],
  folder: string,
  context: ImportContext,
): Promise<void> {
  const { clock, report } = context;
  try {
    // The plans include CronJobs that a tool manages, because --print is meant for such CronJobs.
    const plans = await report.runAll(sourceCronJobs, formatKey, (each) => createPlan(each, context, true));
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0)
      throw new CommandError(`--print: ${folder} is not empty; use another folder`);
    for (const step of [SUSPEND_FOLDER, CREATE_FOLDER]) await mkdir(join(folder, step));
    for (const { source, converted, notes } of plans) {
      const fileName = `${source.metadata.namespace}-${source.metadata.name}.yaml`;
      await writeFile(join(folder, SUSPEND_FOLDER, fileName), formatYaml(createSuspendedSource(source)));
      const comments = [...notes, ...listHelmNotes(source)].map((note) => `# ${note}\n`).join('');
      await writeFile(join(folder, CREATE_FOLDER, fileName), `${comments}${formatYaml(converted)}`);
    }
    const instructions = formatInstructions(plans, clock.now());
    await writeFile(join(folder, 'README.md'), instructions);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new CommandError(`--print: ${error.message}`);
    throw error;
  }
  report.reportChange('manifests written;', `for the order to commit them, see ${join(folder, 'README.md')}`);
}

const MAX_NEXT_TIMES = 3;

function formatInstructions(plans: readonly ImportPlan[], now: Date): string {
  return `# Move from batch/v1 with commits

1. Replace your manifests with the manifests in \`${SUSPEND_FOLDER}\`, which differ only in \`suspend: true\`. Commit them.
2. Wait until they are applied, and ${MIN_IDLE_MS / 1000} more seconds. With the concurrency policies Forbid and Replace, also wait until no run is active.
3. Add the manifests in \`${CREATE_FOLDER}\`. Commit them.
4. After a successful run, delete the manifests of \`${SUSPEND_FOLDER}\` from the repository.

Scheduled times between step 1 and step 3 do not run by default. Choose a gap between the times below. Or set the annotation
\`${TAKES_OVER_FROM_ANNOTATION}\` of the new CronJobs to the time of step 1, such as \`2026-01-02T15:04:05Z\`, and apply them within ten
minutes of it: then the newest scheduled time after step 1 runs at once.

| CronJob | Next times |
| --- | --- |
${plans.map(({ source }) => `| ${formatKey(source)} | ${formatNextTimes(source, now)} |`).join('\n')}
`;
}

function formatNextTimes(source: SourceCronJob, now: Date): string {
  const { converted } = convertFromBatch(source, false);
  const times: string[] = [];
  const schedule = parseCronJobSchedule(withSourceMetadata(converted, source));
  for (
    let next = schedule?.next(now);
    next !== undefined && times.length < MAX_NEXT_TIMES;
    next = schedule?.next(next)
  ) {
    times.push(formatZonedTime(next, converted.spec.timeZone));
  }
  return times.join(', ') || 'none';
}

function withSourceMetadata(converted: ConvertedCronJob, { metadata }: SourceCronJob): CronJob {
  const { uid, creationTimestamp, resourceVersion } = metadata;
  return { ...converted, metadata: { ...converted.metadata, uid, creationTimestamp, resourceVersion } };
}
