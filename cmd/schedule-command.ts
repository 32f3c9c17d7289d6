/** `manager schedule`: describes a schedule and lists its next runs. A pure function: it uses neither the process nor the clock. */
import {
  type CommandLine,
  instant,
  integer,
  oneOf,
  type Parsed,
  parseCommandLine,
  USAGE_EXIT_CODE,
} from 'controller-runtime';
import {
  COUNT_OPTION,
  FROM_OPTION,
  getQuotesHint,
  MAX_COUNT,
  OUTPUT_FORMATS,
  OUTPUT_OPTION,
  SCHEDULE_ARGUMENT,
  TIME_ZONE_OPTION,
} from '../api/v1/schedule-flags.ts';
import { formatPreview, type PreviewRequest, previewSchedule, previewToJson } from '../api/v1/schedule-preview.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param args The arguments after `manager schedule`. @param now Default of `--from`. */
export function scheduleCommand(args: readonly string[], now: Date): CommandResult {
  const parsed = readArguments(args, now);
  if (parsed.kind === 'done') return parsed.result;
  const { question } = parsed;
  const found = previewSchedule(question);
  if (found.kind === 'invalid') return failure(REFUSED_EXIT_CODE, found.message);
  return success(question.output === 'json' ? previewToJson(found.preview) : formatPreview(found.preview));
}

/** Exit code for a schedule or a zone that is not accepted. */
const REFUSED_EXIT_CODE = 1;

interface QuestionWithOutput extends PreviewRequest {
  readonly output: (typeof OUTPUT_FORMATS)[number];
}

type ArgumentsResult =
  | { readonly kind: 'ok'; readonly question: QuestionWithOutput }
  /** The command only has to print its result. */
  | { readonly kind: 'done'; readonly result: CommandResult };

function readArguments(args: readonly string[], now: Date): ArgumentsResult {
  const parsed = parseCommandLine(COMMAND_LINE, args);
  switch (parsed.kind) {
    case 'ok':
      return buildQuestion(parsed.argument, parsed.flags, now);
    case 'show':
      return { kind: 'done', result: success(parsed.text) };
    case 'invalid': {
      const lines = [parsed.message, ...(parsed.reason === 'ExcessArguments' ? [getQuotesHint(args)] : []), SEE_HELP];
      return { kind: 'done', result: failure(USAGE_EXIT_CODE, lines.join('\n')) };
    }
  }
}

const SEE_HELP = 'see manager schedule --help';

const COMMAND_LINE: CommandLine = {
  name: 'manager schedule',
  description: 'Prints what a schedule means: in words, its next times, and clock changes that skip or repeat a run.',
  argument: SCHEDULE_ARGUMENT,
  flags: [TIME_ZONE_OPTION, FROM_OPTION, COUNT_OPTION, OUTPUT_OPTION],
};

function buildQuestion(schedule: string, flags: ReadonlyMap<string, string>, now: Date): ArgumentsResult {
  const getText = (flag: typeof TIME_ZONE_OPTION) => flags.get(flag.name) ?? flag.default;
  const timeZone = getText(TIME_ZONE_OPTION);
  const from: Parsed<Date> =
    getText(FROM_OPTION) === FROM_OPTION.default ? { kind: 'ok', value: now } : instant(getText(FROM_OPTION));
  const count = integer(1, MAX_COUNT)(getText(COUNT_OPTION));
  const output = oneOf(OUTPUT_FORMATS)(getText(OUTPUT_OPTION));
  if (from.kind === 'ok' && count.kind === 'ok' && output.kind === 'ok') {
    return { kind: 'ok', question: { schedule, timeZone, from: from.value, count: count.value, output: output.value } };
  }
  const problems = [
    ...listProblem(FROM_OPTION.name, getText(FROM_OPTION), from),
    ...listProblem(COUNT_OPTION.name, getText(COUNT_OPTION), count),
    ...listProblem(OUTPUT_OPTION.name, getText(OUTPUT_OPTION), output),
  ];
  return { kind: 'done', result: failure(USAGE_EXIT_CODE, problems.join('\n')) };
}

function listProblem(name: string, value: string, parsed: Parsed<unknown>): readonly string[] {
  return parsed.kind === 'invalid' ? [`--${name}: "${value}" is not valid: ${parsed.message}`] : [];
}

function success(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

function failure(exitCode: number, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `manager schedule: ${message}\n` };
}
