/**
 * `--dry-run`: shows the CronJobs that an import would create, and their differences. The API server and its webhooks check them
 * without storing them.
 */
import { DEFAULT_TIMINGS, formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import type { Terminal } from '../command.ts';
import { formatYaml } from '../terminal/documents.ts';
import type { ImportContext } from './context.ts';
import type { ConvertedCronJob } from './convert.ts';
import { listHelmNotes } from './managing-tool.ts';
import { createPlan, type ImportPlan } from './plan.ts';
import type { SourceCronJob } from './source.ts';

/**
 * Writes one YAML document for each source that can be imported, with its differences as comments; reports why the other sources
 * cannot be imported.
 */
export async function printDryRun(
  found: readonly SourceCronJob[],
  terminal: Terminal,
  context: ImportContext,
  isForced: boolean,
): Promise<void> {
  const plans = await context.report.each(found, formatKey, (each) => createPlan(each, context, isForced));
  for (const plan of plans) terminal.out(formatDocument(plan, context.clock.now()));
}

function formatDocument({ source, converted, notes, target }: ImportPlan, now: Date): string {
  // The source was suspended for an import that is finished: a manifest made from it would suspend the new CronJob.
  if (target !== undefined) return `---\n# ${formatKey(source)}\n# Already imported; nothing to do.\n`;
  const comments = [formatKey(source), ...notes, ...listHelmNotes(source), ...listWarnings(converted, now)];
  return `---\n${comments.map((comment) => `# ${comment}\n`).join('')}${formatYaml(converted)}`;
}

/** Warnings as the webhook returns them. */
function listWarnings(converted: ConvertedCronJob, now: Date): readonly string[] {
  const failoverSeconds = DEFAULT_TIMINGS.leaseDurationMs / 1000;
  return cronJobWarnings(converted as CronJob, { now, failoverSeconds }).map((warning) => `Warning: ${warning}`);
}
