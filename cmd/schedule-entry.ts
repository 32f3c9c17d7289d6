/**
 * Answers `manager schedule` and ends the process. The bundle is one file whose modules run in the order of their imports: as the
 * first of main.ts, this one spares the subcommand the manager's, which is a third of its time.
 */
import { SystemClock } from '../runtime/clock/system-clock.ts';
import { forgiveReaders } from './forgive-readers.ts';
import { scheduleCommand } from './schedule-command.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'schedule') {
  process.env['TZ'] = 'UTC'; // as in main.ts
  forgiveReaders();
  const { exitCode, stdout, stderr } = scheduleCommand(args, new SystemClock().now());
  await Promise.all([written(process.stdout, stdout), written(process.stderr, stderr)]);
  process.exit(exitCode);
}

/** A pipe may take text later than `write` returns, and `exit` waits for nothing. */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
