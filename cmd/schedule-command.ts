/** The command `manager schedule`, as a pure function. */
import { instant, integer, oneOf, type Parsed } from 'controller-runtime';
import { type CommandLine, parseCommandLine, USAGE_EXIT_CODE } from 'controller-runtime/internal';
import {
  COUNT_FLAG,
  FROM_FLAG,
  getQuotesHint,
  MAX_PRINTED_TIMES,
  OUTPUT_FLAG,
  OUTPUT_FORMATS,
  SCHEDULE_ARGUMENT,
  TIME_ZONE_FLAG,
} from '../api/v1/schedule-flags.ts';
import {
  formatPreview,
  formatPreviewAsJson,
  type PreviewRequest,
  previewSchedule,
} from '../api/v1/schedule-preview.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param args The arguments after `manager schedule`. @param now The default value of `--from`. */
export function runScheduleCommand(args: readonly string[], now: Date): CommandResult {
  const parsed = parseArguments(args, now);
  if (parsed.kind === 'done') return parsed.result;
  const { request } = parsed;
  const previewResult = previewSchedule(request);
  if (previewResult.kind === 'invalid') return createFailureResult(INVALID_SCHEDULE_EXIT_CODE, previewResult.message);
  return createSuccessResult(
    request.output === 'json' ? formatPreviewAsJson(previewResult.preview) : formatPreview(previewResult.preview),
  );
}

/** The exit code for an invalid schedule or time zone. */
const INVALID_SCHEDULE_EXIT_CODE = 1;

interface OutputRequest extends PreviewRequest {
  readonly output: (typeof OUTPUT_FORMATS)[number];
}

type ArgumentsResult =
  | { readonly kind: 'ok'; readonly request: OutputRequest }
  /** The result for invalid arguments or for `--help`. */
  | { readonly kind: 'done'; readonly result: CommandResult };

function parseArguments(args: readonly string[], now: Date): ArgumentsResult {
  const parsed = parseCommandLine(SCHEDULE_COMMAND_LINE, args);
  switch (parsed.kind) {
    case 'ok':
      return buildRequest(parsed.argument, parsed.flags, now);
    case 'show':
      return { kind: 'done', result: createSuccessResult(parsed.text) };
    case 'invalid': {
      const lines = [parsed.message, ...(parsed.reason === 'ExcessArguments' ? [getQuotesHint(args)] : []), HELP_HINT];
      return { kind: 'done', result: createFailureResult(USAGE_EXIT_CODE, lines.join('\n')) };
    }
  }
}

const HELP_HINT = 'see manager schedule --help';

const SCHEDULE_COMMAND_LINE: CommandLine = {
  name: 'manager schedule',
  description: 'Describes a schedule, and prints its next times and the runs that clock changes skip or repeat.',
  argument: SCHEDULE_ARGUMENT,
  flags: [TIME_ZONE_FLAG, FROM_FLAG, COUNT_FLAG, OUTPUT_FLAG],
};

function buildRequest(schedule: string, flags: ReadonlyMap<string, string>, now: Date): ArgumentsResult {
  const getFlagValue = (flag: typeof TIME_ZONE_FLAG) => flags.get(flag.name) ?? flag.default;
  const timeZone = getFlagValue(TIME_ZONE_FLAG);
  const from: Parsed<Date> =
    getFlagValue(FROM_FLAG) === FROM_FLAG.default ? { kind: 'ok', value: now } : instant(getFlagValue(FROM_FLAG));
  const count = integer(1, MAX_PRINTED_TIMES)(getFlagValue(COUNT_FLAG));
  const output = oneOf(OUTPUT_FORMATS)(getFlagValue(OUTPUT_FLAG));
  if (from.kind === 'ok' && count.kind === 'ok' && output.kind === 'ok') {
    return { kind: 'ok', request: { schedule, timeZone, from: from.value, count: count.value, output: output.value } };
  }
  const problems = [
    ...describeInvalidFlag(FROM_FLAG.name, getFlagValue(FROM_FLAG), from),
    ...describeInvalidFlag(COUNT_FLAG.name, getFlagValue(COUNT_FLAG), count),
    ...describeInvalidFlag(OUTPUT_FLAG.name, getFlagValue(OUTPUT_FLAG), output),
  ];
  return { kind: 'done', result: createFailureResult(USAGE_EXIT_CODE, problems.join('\n')) };
}

function describeInvalidFlag(name: string, value: string, parsed: Parsed<unknown>): readonly string[] {
  return parsed.kind === 'invalid' ? [`--${name}: "${value}" is not valid: ${parsed.message}`] : [];
}

function createSuccessResult(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

function createFailureResult(exitCode: number, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `manager schedule: ${message}\n` };
}
