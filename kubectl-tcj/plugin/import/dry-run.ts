/** `kubectl tcj import --dry-run`: prints the CronJobs that an import would create. The API server validates the CronJobs. */
import { formatKey } from 'controller-runtime';
import { DEFAULT_TIMINGS } from 'controller-runtime/internal';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { getCronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import type { Terminal } from '../command.ts';
import { formatYaml } from '../terminal/documents.ts';
import type { ConvertedCronJob } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import { createPlan, type ImportPlan } from './import-plan.ts';
import { listHelmNotes } from './managing-tool.ts';
import type { SourceCronJob } from './source-cron-job.ts';

/**
 * Prints a YAML document for each source that can be imported, with differences as comments. Reports a failure for each source that
 * cannot be imported.
 */
export async function printDryRun(
  sourceCronJobs: readonly SourceCronJob[],
  terminal: Terminal,
  context: ImportContext,
  isForced: boolean,
): Promise<void> {
  const plans = await context.report.runAll(sourceCronJobs, formatKey, (each) => createPlan(each, context, isForced));
  for (const plan of plans) terminal.out(formatDocument(plan, context.clock.now()));
}

function formatDocument({ source, converted, notes, target }: ImportPlan, now: Date): string {
  // After an import, the source is suspended. A manifest that is converted from a suspended source would also be suspended.
  if (target !== undefined) return `---\n# ${formatKey(source)}\n# Already imported; nothing to do.\n`;
  const comments = [formatKey(source), ...notes, ...listHelmNotes(source), ...listWarnings(converted, now)];
  return `---\n${comments.map((comment) => `# ${comment}\n`).join('')}${formatYaml(converted)}`;
}

/** Lists the warnings that the webhook would return. */
function listWarnings(converted: ConvertedCronJob, now: Date): readonly string[] {
  const failoverSeconds = DEFAULT_TIMINGS.leaseDurationMs / 1000;
  return getCronJobWarnings(converted as CronJob, { now, failoverSeconds }).map((warning) => `Warning: ${warning}`);
}
