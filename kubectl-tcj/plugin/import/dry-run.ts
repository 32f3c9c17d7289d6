/**
 * `--dry-run`: shows the CronJobs that an import would create, and their differences. The API server and its webhooks check them
 * without storing them.
 */
import { DEFAULT_TIMINGS, formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import type { Terminal } from '../command.ts';
import { asYaml } from '../terminal/documents.ts';
import type { Context } from './context.ts';
import type { ConvertedCronJob } from './convert.ts';
import { helmNotes } from './kept-by.ts';
import { type Plan, planOf } from './plan.ts';
import type { SourceCronJob } from './source.ts';

/**
 * Writes one YAML document for each source that can be imported, with its differences as comments; reports why the other sources
 * cannot be imported.
 */
export async function dryRun(
  found: readonly SourceCronJob[],
  terminal: Terminal,
  context: Context,
  isForced: boolean,
): Promise<void> {
  const plans = await context.report.each(found, formatKey, (each) => planOf(each, context, isForced));
  for (const plan of plans) terminal.out(documentOf(plan, context.clock.now()));
}

function documentOf({ source, converted, notes, target }: Plan, now: Date): string {
  // The source was suspended for an import that is finished: a manifest made from it would suspend the new CronJob.
  if (target !== undefined) return `---\n# ${formatKey(source)}\n# Already imported; nothing to do.\n`;
  const comments = [formatKey(source), ...notes, ...helmNotes(source), ...warningsOf(converted, now)];
  return `---\n${comments.map((comment) => `# ${comment}\n`).join('')}${asYaml(converted)}`;
}

/** Warnings as the webhook returns them. */
function warningsOf(converted: ConvertedCronJob, now: Date): readonly string[] {
  const failoverSeconds = DEFAULT_TIMINGS.leaseDurationMs / 1000;
  return cronJobWarnings(converted as CronJob, { now, failoverSeconds }).map((warning) => `Warning: ${warning}`);
}
