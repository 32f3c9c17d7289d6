import { instant, integer } from 'controller-runtime';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import {
  COUNT,
  FROM,
  MAX_COUNT,
  OUTPUT,
  OUTPUTS,
  quotesHint,
  SCHEDULE,
  TIME_ZONE,
} from '../../../api/v1/schedule-flags.ts';
import { formatPreview, previewSchedule, previewToJson } from '../../../api/v1/schedule-preview.ts';
import { type Command, CommandError } from '../command.ts';
import { parseFlag } from '../flag-value.ts';
import { parseOutputFormat } from '../output.ts';
import { escapeJson } from '../terminal/documents.ts';

export const scheduleCommand: Command = {
  name: 'schedule',
  description:
    'Explain a schedule and print its next times. Needs no cluster. Also prints the runs that clock changes skip or repeat.',
  argument: { ...SCHEDULE, values: 'anything' },
  flags: [{ ...TIME_ZONE, values: TIME_ZONE_NAMES }, FROM, COUNT, { ...OUTPUT, values: OUTPUTS }],
  examples: [
    { task: 'Explain a schedule and print its next times', args: 'schedule "30 2 * * *" --time-zone Europe/Berlin' },
  ],
  explainExcessArguments: quotesHint,
  run: async ({ argument, flagValues, now, terminal }) => {
    const format = parseOutputFormat(flagValues, OUTPUTS);
    const from = parseFlag(flagValues, FROM, (text) =>
      text === FROM.default ? { kind: 'ok', value: now } : instant(text),
    );
    const count = parseFlag(flagValues, COUNT, integer(1, MAX_COUNT));
    const timeZone = flagValues.get(TIME_ZONE.name) ?? TIME_ZONE.default;
    const found = previewSchedule({ schedule: argument, timeZone, from, count });
    if (found.kind === 'invalid') throw new CommandError(found.message);
    terminal.out(format === 'json' ? escapeJson(previewToJson(found.preview)) : formatPreview(found.preview));
    return 0;
  },
};
