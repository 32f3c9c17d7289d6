#!/usr/bin/env node
/** kubectl-tcj: a plugin that kubectl finds in PATH by its name. */
import { once } from 'node:events';
import { printAndExit, SystemClock, stopSignal } from 'controller-runtime';
import packageJson from '../../package.json' with { type: 'json' };
import { COMMANDS } from './commands.ts';
import { complete, isCompletionRequest } from './completion/complete.ts';
import { runCommand } from './run-command.ts';
import { connect, type SessionOptions } from './session.ts';
import { hasColors } from './terminal/paint.ts';

const { timeZone: localZone } = Intl.DateTimeFormat().resolvedOptions();
// Dates are formatted in named zones; the zone of the machine must not affect the output.
process.env['TZ'] = 'UTC';

const { version } = packageJson;
const clock = new SystemClock();
// `tcj list | head` closes the pipe, which is not a fault. Without stderr, the error cannot be reported.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
const args = process.argv.slice(2);
const surroundings = { connect: (options: SessionOptions) => connect(options, version), now: clock.now(), clock };

async function writeRaw(bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && !process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

function shouldExitOnInterrupt([name]: readonly string[]): boolean {
  return COMMANDS.some((command) => command.name === name && command.exitsOnInterrupt === true);
}

async function main(): Promise<number> {
  if (isCompletionRequest(args)) {
    // Ends the process immediately, because a request that hangs would keep the process and the shell waiting. The user is typing a
    // command line, so an exec plugin must not read from the terminal.
    const quiet = (options: SessionOptions) => connect({ ...options, hasTerminal: false }, version);
    const stdout = await complete(args, { ...surroundings, connect: quiet });
    await printAndExit({ exitCode: 0, stdout });
  }
  return await runCommand(args, {
    ...surroundings,
    localZone,
    terminal: {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      raw: process.stdout.isTTY ? undefined : writeRaw,
      read: () => process.stdin,
      width: process.stdout.isTTY ? process.stdout.columns : undefined,
      hasColors: hasColors(process.stdout),
    },
    signal: shouldExitOnInterrupt(args) ? new AbortController().signal : stopSignal(),
  });
}

// Without await, because the executable is CommonJS.
void main().then((code) => {
  process.exitCode = code;
});
