/** Lines of the status, written by any version or any client. */
import fc from 'fast-check';
import { MAX_RECENT_LINE_LENGTH } from '../../../../api/v1/cronjob-defaults.ts';
import { formatRecentRun, formatRecentSkip, parseRecentRun, parseRecentSkip } from '../../../../api/v1/recent-lines.ts';
import { expectWithinCpu } from './cpu.ts';
import { WELL_FORMED_TEXTS } from './json.ts';
import type { AttackTarget } from './target.ts';

const MAX_CALL_MS = 50;
/** Maximum length of an object name. */
const MAX_NAME_LENGTH = 253;

const TIMES = ['2026-11-23T02:00:00Z', '2026-02-30T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z'];
const WORDS = [
  ...'Running Succeeded Failed Replaced Unknown RunningX Schedule Manual External Suspended yesterday'.split(' '),
  ...'late=1s late=-1s late=999999999h took=999999999h59m59s queued=-999999999h took= took=1s x=y'.split(' '),
  ...'last=2026-11-24T02:00:00Z count=2 count=100+ count=-1 count=1e9 count=+ count=0x10 count='.split(' '),
  ...'hello-1767225600 BackoffLimitExceeded: it failed : = __proto__ '.split(' '),
  ...TIMES,
  ...WELL_FORMED_TEXTS,
];

const line = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 10 }).map((words) => words.join(' ')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...TIMES), fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }))
      .map(([time, words]) => [time, 'Failed hello-1 Schedule', ...words].join(' ')),
  },
  fc.string({ unit: 'binary', maxLength: 40 }),
);

export const linesTarget: AttackTarget<string> = { name: 'lines of runs and skips', inputs: line, check: checkLine };

function checkLine(text: string): void {
  const run = expectWithinCpu(MAX_CALL_MS, () => parseRecentRun(text));
  // A Job cannot have a longer name.
  if (run !== undefined && run.jobName.length <= MAX_NAME_LENGTH) {
    const dates = [run.scheduledTime, run.createdTime, run.startTime, run.completionTime];
    checkFormatted(formatRecentRun, run, parseRecentRun, dates);
  }
  const skip = expectWithinCpu(MAX_CALL_MS, () => parseRecentSkip(text));
  if (skip === undefined) return;
  checkFormatted(formatRecentSkip, skip, parseRecentSkip, [skip.firstTime, skip.lastTime]);
}

/** A parsed line, when formatted, parses to the same value. */
function checkFormatted<T>(
  format: (item: T) => string,
  item: T,
  read: (text: string) => T | undefined,
  dates: readonly (Date | undefined)[],
): void {
  const formatted = expectWithinCpu(MAX_CALL_MS, () => format(item));
  for (const date of dates) {
    if (date !== undefined && Number.isNaN(date.getTime())) throw new Error('an invalid date');
  }
  if (formatted.length > MAX_RECENT_LINE_LENGTH) throw new Error(`a line of ${formatted.length} characters`);
  const reparsed = read(formatted);
  if (reparsed === undefined) throw new Error(`cannot be parsed again: ${JSON.stringify(formatted)}`);
  if (format(reparsed) !== formatted) throw new Error(`is written as ${JSON.stringify([formatted, format(reparsed)])}`);
}
