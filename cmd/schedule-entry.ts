/**
 * Runs `manager schedule` and exits. main.ts imports this module before the modules of the manager. The command does
 * not need the modules of the manager, and loading them would take a third of the start-up time.
 */
import { SystemClock } from 'controller-runtime';
import { printAndExit } from 'controller-runtime/internal';
import { runScheduleCommand } from './schedule-command.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'schedule') {
  process.env['TZ'] = 'UTC'; // as in main.ts
  await printAndExit(runScheduleCommand(args, new SystemClock().now()));
}
