import { instant, integer } from 'controller-runtime';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import {
  COUNT_FLAG,
  FROM_FLAG,
  getQuotesHint,
  MAX_PRINTED_TIMES,
  OUTPUT_FLAG,
  OUTPUT_FORMATS,
  SCHEDULE_ARGUMENT,
  TIME_ZONE_FLAG,
} from '../../../api/v1/schedule-flags.ts';
import { formatPreview, formatPreviewAsJson, previewSchedule } from '../../../api/v1/schedule-preview.ts';
import { type Command, CommandError } from '../command.ts';
import { parseFlag } from '../flag-value.ts';
import { parseOutputFormat } from '../output.ts';
import { escapeJson } from '../terminal/documents.ts';

export const scheduleCommand: Command = {
  name: 'schedule',
  description:
    'Explain a schedule and print its next times, without a cluster. The output includes the runs that clock changes skip or ' +
    'repeat. For a manifest with several schedules, exclusions or jitter, use diff -f.',
  argument: { ...SCHEDULE_ARGUMENT, values: 'anything' },
  flags: [
    { ...TIME_ZONE_FLAG, values: TIME_ZONE_NAMES },
    FROM_FLAG,
    COUNT_FLAG,
    { ...OUTPUT_FLAG, values: OUTPUT_FORMATS },
  ],
  examples: [
    { task: 'Explain a schedule and print its next times', args: 'schedule "30 2 * * *" --time-zone Europe/Berlin' },
  ],
  explainExcessArguments: getQuotesHint,
  run: async ({ argument, flagValues, now, terminal }) => {
    const format = parseOutputFormat(flagValues, OUTPUT_FORMATS);
    const from = parseFlag(flagValues, FROM_FLAG, (text) =>
      text === FROM_FLAG.default ? { kind: 'ok', value: now } : instant(text),
    );
    const count = parseFlag(flagValues, COUNT_FLAG, integer(1, MAX_PRINTED_TIMES));
    const timeZone = flagValues.get(TIME_ZONE_FLAG.name) ?? TIME_ZONE_FLAG.default;
    const preview = previewSchedule({ schedule: argument, timeZone, from, count });
    if (preview.kind === 'invalid') throw new CommandError(preview.message);
    terminal.out(format === 'json' ? escapeJson(formatPreviewAsJson(preview.preview)) : formatPreview(preview.preview));
    return 0;
  },
};
