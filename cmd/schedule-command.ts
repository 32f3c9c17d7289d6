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
import { COUNT, FROM, MAX_COUNT, OUTPUT, OUTPUTS, quotesHint, SCHEDULE, TIME_ZONE } from '../api/v1/schedule-flags.ts';
import { formatPreview, type PreviewRequest, previewSchedule, previewToJson } from '../api/v1/schedule-preview.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param args The arguments after `manager schedule`. @param now Default of `--from`. */
export function scheduleCommand(args: readonly string[], now: Date): CommandResult {
  const read = readArguments(args, now);
  if (read.kind === 'done') return read.result;
  const { question } = read;
  const found = previewSchedule(question);
  if (found.kind === 'invalid') return failed(REFUSED_EXIT_CODE, found.message);
  return succeeded(question.output === 'json' ? previewToJson(found.preview) : formatPreview(found.preview));
}

/** Exit code for a schedule or a zone that is not accepted. */
const REFUSED_EXIT_CODE = 1;

interface Question extends PreviewRequest {
  readonly output: (typeof OUTPUTS)[number];
}

type Read =
  | { readonly kind: 'ok'; readonly question: Question }
  /** The command only has to print its result. */
  | { readonly kind: 'done'; readonly result: CommandResult };

function readArguments(args: readonly string[], now: Date): Read {
  const read = parseCommandLine(COMMAND_LINE, args);
  switch (read.kind) {
    case 'ok':
      return questionOf(read.argument, read.given, now);
    case 'show':
      return { kind: 'done', result: succeeded(read.text) };
    case 'invalid': {
      const lines = [read.message, ...(read.reason === 'ExcessArguments' ? [quotesHint(args)] : []), SEE_HELP];
      return { kind: 'done', result: failed(USAGE_EXIT_CODE, lines.join('\n')) };
    }
  }
}

const SEE_HELP = 'see manager schedule --help';

const COMMAND_LINE: CommandLine = {
  name: 'manager schedule',
  description: 'Prints what a schedule means: in words, its next times, and clock changes that skip or repeat a run.',
  argument: SCHEDULE,
  flags: [TIME_ZONE, FROM, COUNT, OUTPUT],
};

function questionOf(schedule: string, given: ReadonlyMap<string, string>, now: Date): Read {
  const textOf = (flag: typeof TIME_ZONE) => given.get(flag.name) ?? flag.default;
  const timeZone = textOf(TIME_ZONE);
  const from: Parsed<Date> = textOf(FROM) === FROM.default ? { kind: 'ok', value: now } : instant(textOf(FROM));
  const count = integer(1, MAX_COUNT)(textOf(COUNT));
  const output = oneOf(OUTPUTS)(textOf(OUTPUT));
  if (from.kind === 'ok' && count.kind === 'ok' && output.kind === 'ok') {
    return { kind: 'ok', question: { schedule, timeZone, from: from.value, count: count.value, output: output.value } };
  }
  const problems = [
    ...problemOf(FROM.name, textOf(FROM), from),
    ...problemOf(COUNT.name, textOf(COUNT), count),
    ...problemOf(OUTPUT.name, textOf(OUTPUT), output),
  ];
  return { kind: 'done', result: failed(USAGE_EXIT_CODE, problems.join('\n')) };
}

function problemOf(name: string, given: string, parsed: Parsed<unknown>): readonly string[] {
  return parsed.kind === 'invalid' ? [`--${name}: "${given}" is not valid: ${parsed.message}`] : [];
}

function succeeded(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

function failed(exitCode: number, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `manager schedule: ${message}\n` };
}
