#!/usr/bin/env node
/** kubectl-tcj: a plugin of kubectl, which finds it in PATH by its name. */
import { buffer } from 'node:stream/consumers';
import { SystemClock, stopSignal } from 'controller-runtime';
import packageJson from '../package.json' with { type: 'json' };
import { runCommand } from './run-command.ts';
import { connect } from './session.ts';

// Dates are formatted in named zones; the zone of the machine must not affect the output.
process.env['TZ'] = 'UTC';

const { version } = packageJson;
const clock = new SystemClock();
// `tcj list | head` closes the pipe: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await runCommand(process.argv.slice(2), {
  terminal: {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    read: () => buffer(process.stdin),
  },
  now: clock.now(),
  clock,
  signal: stopSignal(),
  connect: (options) => connect(options, version),
});
