/**
 * Answers `manager schedule` and ends the process. The bundle is one file whose modules run in the order of their imports: as the
 * first of main.ts, this one spares the subcommand the manager's, which is a third of its time.
 */
import { printAndExit, SystemClock } from 'controller-runtime';
import { scheduleCommand } from './schedule-command.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'schedule') {
  process.env['TZ'] = 'UTC'; // as in main.ts
  await printAndExit(scheduleCommand(args, new SystemClock().now()));
}
