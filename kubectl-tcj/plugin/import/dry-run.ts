/** `--dry-run`: what would be made, and what is different of it. The API server and its webhooks are asked, and store nothing. */
import { DEFAULT_TIMINGS, keyOf } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import type { Terminal } from '../command.ts';
import { asYaml } from '../terminal/documents.ts';
import type { Context } from './context.ts';
import type { ConvertedCronJob } from './convert.ts';
import { helmNotes } from './kept-by.ts';
import { type Plan, planOf } from './plan.ts';
import type { SourceCronJob } from './source.ts';

/** Writes one YAML document for each that can be imported, with what differs as comments; says of the others why not. */
export async function dryRun(
  found: readonly SourceCronJob[],
  terminal: Terminal,
  context: Context,
  isForced: boolean,
): Promise<void> {
  const plans = await context.report.each(found, keyOf, (each) => planOf(each, context, isForced));
  for (const plan of plans) terminal.out(documentOf(plan, context.clock.now()));
}

function documentOf({ source, converted, notes, target }: Plan, now: Date): string {
  // What the source is suspended for is over: a manifest made of it would suspend the new one.
  if (target !== undefined)
    return `---\n# ${keyOf(source)}\n# It has been imported already: there is nothing to make.\n`;
  const comments = [keyOf(source), ...notes, ...helmNotes(source), ...warningsOf(converted, now)];
  return `---\n${comments.map((comment) => `# ${comment}\n`).join('')}${asYaml(converted)}`;
}

/** As the webhook gives them. */
function warningsOf(converted: ConvertedCronJob, now: Date): readonly string[] {
  const failoverSeconds = DEFAULT_TIMINGS.leaseDurationMs / 1000;
  return cronJobWarnings(converted as CronJob, { now, failoverSeconds }).map((warning) => `Warning: ${warning}`);
}
