/**
 * `make test-planted`: applies each fault of test/planted to a copy of the project. Exits with 1 if a command of a fault passes with the
 * fault, or fails without the fault.
 *
 *   make test-planted ARGS="12 30"             only these faults
 *   make test-planted ARGS="12 -- <command>"   this command instead of the recorded ones
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PROJECT } from '../../test/support/manifests.ts';
import { run } from '../control-plane/run.ts';
import { readPlantedFaults } from './planted-faults.ts';

/** Timeout of a command in milliseconds, after which the command has failed. */
const TIMEOUT_MS = 3_600_000;
/** Compiles the copy first, because every command would fail after a compile error. Allows unused code, which a fault may leave behind. */
const COMPILE_COMMAND =
  'tsc --noEmit -p . --noUnusedLocals false --noUnusedParameters false --incremental --tsBuildInfoFile coverage/planted.tsbuildinfo';
/** Output of the failed commands. */
const LOG_FILE = join(PROJECT, 'coverage/planted.log');

const args = process.argv.slice(2);
const separator = args.includes('--') ? args.indexOf('--') : args.length;
const [numbers, commandWords] = [args.slice(0, separator), args.slice(separator + 1)];
const command = commandWords.map((word) => `'${word}'`).join(' ');
const faults = readPlantedFaults().filter(
  ({ name }) => numbers.length === 0 || numbers.some((number) => name.startsWith(`${number.padStart(2, '0')}-`)),
);

const copyFolder = mkdtempSync(join(tmpdir(), 'planted-'));
process.once('exit', () => rmSync(copyFolder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await copyProject();
mkdirSync(dirname(LOG_FILE), { recursive: true });
writeFileSync(LOG_FILE, '');

const passesWithoutFault = new Map<string, boolean>();
const missedCommands: string[] = [];
for (const { name, path, foundBy } of faults) {
  for (const suite of command === '' ? foundBy : [command]) {
    const line = `${name}: ${await tryFault(path, suite)}: ${suite}`;
    console.info(line);
    if (!line.startsWith(`${name}: found: `)) missedCommands.push(line);
  }
}
console.info(
  [
    `\nTried ${faults.length} faults, ${missedCommands.length} commands missed one: see ${LOG_FILE}`,
    ...missedCommands,
  ].join('\n'),
);
process.exitCode = missedCommands.length === 0 && faults.length > 0 ? 0 : 1;

async function tryFault(patch: string, suite: string): Promise<string> {
  await applyPatch(patch);
  const isCompiled = await commandSucceeds(COMPILE_COMMAND);
  const isMissed = isCompiled && (await commandSucceeds(`npm run --silent build && ${suite}`));
  await applyPatch('--reverse', patch);
  if (!isCompiled) return 'DOES NOT COMPILE';
  if (isMissed) return 'NOT FOUND';
  if (!passesWithoutFault.has(suite))
    passesWithoutFault.set(suite, await commandSucceeds(`npm run --silent build && ${suite}`));
  return passesWithoutFault.get(suite) ? 'found' : 'FAILS WITHOUT THE FAULT';
}

/** Copies all files except ignored files, and creates links to the packages. */
async function copyProject(): Promise<void> {
  const files = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: PROJECT });
  for (const file of files.split('\0').filter((each) => each !== '' && existsSync(join(PROJECT, each)))) {
    cpSync(join(PROJECT, file), join(copyFolder, file), { verbatimSymlinks: true });
  }
  mkdirSync(join(copyFolder, 'node_modules'));
  for (const entry of readdirSync(join(PROJECT, 'node_modules'), { withFileTypes: true })) {
    if (entry.name.startsWith('.') && entry.name !== '.bin') continue;
    const path = join(PROJECT, 'node_modules', entry.name);
    // A relative link of a workspace thus points into the copy.
    symlinkSync(entry.isSymbolicLink() ? readlinkSync(path) : path, join(copyFolder, 'node_modules', entry.name));
  }
}

function applyPatch(...flags: readonly string[]): Promise<string> {
  // Without this limit, git would ignore the copy if it is inside a repository.
  return run('git', ['apply', ...flags], {
    cwd: copyFolder,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copyFolder) },
  });
}

async function commandSucceeds(shellCommand: string): Promise<boolean> {
  const path = [join(copyFolder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, FAULTS: '1', FAULTS_SEED: '1' };
  try {
    await run('bash', ['-c', shellCommand], { cwd: copyFolder, env, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch (error) {
    writeFileSync(LOG_FILE, `${error}\n\n`, { flag: 'a' });
    return false;
  }
}
