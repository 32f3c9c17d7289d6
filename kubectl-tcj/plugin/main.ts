#!/usr/bin/env node
/** The entry point of kubectl-tcj, which kubectl runs as the plugin `kubectl tcj`. */
import { once } from 'node:events';
import { SystemClock, stopSignal } from 'controller-runtime';
import { printAndExit } from 'controller-runtime/internal';
import packageJson from '../../package.json' with { type: 'json' };
import { connect, type SessionOptions } from './cluster-session.ts';
import { INTERRUPTED_EXIT_CODE } from './command.ts';
import { COMMANDS } from './commands.ts';
import { completeCommandLine, isCompletionRequest } from './completion/complete.ts';
import { runCommand } from './run-command.ts';
import { hasColors } from './terminal/paint-text.ts';

const { timeZone: localZone } = Intl.DateTimeFormat().resolvedOptions();
// The time zone of the machine must not affect how dates are formatted.
process.env['TZ'] = 'UTC';

const { version } = packageJson;
const clock = new SystemClock();
// In `kubectl tcj list | head`, head closes the pipe early, which is not a failure.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
const args = process.argv.slice(2);
const environment = { connect: (options: SessionOptions) => connect(options, version), now: clock.now(), clock };

const signal = shouldExitOnInterrupt(args) ? new AbortController().signal : stopSignal();

function shouldExitOnInterrupt([name]: readonly string[]): boolean {
  return COMMANDS.some((command) => command.name === name && command.shouldExitOnInterrupt === true);
}

async function writeRaw(bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && !process.stdout.write(bytes)) await once(process.stdout, 'drain', { signal });
}

async function main(): Promise<number> {
  if (isCompletionRequest(args)) {
    // The process exits immediately, because otherwise the shell would wait for an open request. An exec plugin must not read from
    // the terminal in which the user types a command line.
    const connectWithoutTerminal = (options: SessionOptions) => connect({ ...options, hasTerminal: false }, version);
    const output = await completeCommandLine(args, { ...environment, connect: connectWithoutTerminal });
    await printAndExit({ exitCode: 0, stdout: output });
  }
  return await runCommand(args, {
    ...environment,
    localZone,
    terminal: {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      writeRaw: process.stdout.isTTY ? undefined : writeRaw,
      readStdin: () => process.stdin,
      width: process.stdout.isTTY ? process.stdout.columns : undefined,
      hasColors: hasColors(process.stdout),
    },
    signal,
  });
}

// The executable is CommonJS, which does not support top-level await.
void main().then((code) => {
  process.exitCode = code;
  if (signal.aborted) exitWithoutReader();
  else signal.addEventListener('abort', exitWithoutReader);
});

/** After Ctrl-C, the process does not wait until its output is read. */
function exitWithoutReader(): void {
  process.exit(process.stdout.writableLength > 0 ? INTERRUPTED_EXIT_CODE : process.exitCode);
}
