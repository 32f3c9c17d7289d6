/**
 * Runs `manager schedule` and ends the process. The bundle runs its modules in the order of the imports. main.ts imports this
 * module early, so that the subcommand does not wait for the modules of the manager, which take a third of its time.
 */
import { printAndExit, SystemClock } from 'controller-runtime';
import { scheduleCommand } from './schedule-command.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'schedule') {
  process.env['TZ'] = 'UTC'; // as in main.ts
  await printAndExit(scheduleCommand(args, new SystemClock().now()));
}
