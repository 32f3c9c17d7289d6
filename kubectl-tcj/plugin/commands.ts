/** The commands of kubectl-tcj, in the order of the help. */
import type { Command } from './command.ts';
import { backfillCommand } from './commands/backfill.ts';
import { completionCommand } from './commands/completion.ts';
import { diffCommand } from './commands/diff.ts';
import { historyCommand } from './commands/history.ts';
import { importCommand } from './commands/import.ts';
import { lintCommand } from './commands/lint.ts';
import { listCommand } from './commands/list.ts';
import { logsCommand } from './commands/logs.ts';
import { nextCommand } from './commands/next.ts';
import { resumeCommand } from './commands/resume.ts';
import { retryCommand } from './commands/retry.ts';
import { runCommand } from './commands/run.ts';
import { scheduleCommand } from './commands/schedule.ts';
import { suspendCommand } from './commands/suspend.ts';
import { uiCommand } from './commands/ui.ts';
import { whyCommand } from './commands/why.ts';

export const COMMANDS: readonly Command[] = [
  listCommand,
  nextCommand,
  whyCommand,
  historyCommand,
  logsCommand,
  runCommand,
  retryCommand,
  backfillCommand,
  suspendCommand,
  resumeCommand,
  importCommand,
  uiCommand,
  scheduleCommand,
  lintCommand,
  diffCommand,
  completionCommand,
];
