/**
 * Whatever a server, a file or a user sends, a command ends with an exit code and a sentence. A failure prints the seed that
 * repeats it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from 'controller-runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../test/simulation/random.ts';
import { CapturedTerminal } from '../../test/support/captured-terminal.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { HostileServer, mutate } from '../../test/support/hostile-server.ts';
import { createTemporaryFolder, createTemporaryFolderForFile } from '../../test/support/temporary-folder.ts';
import { connect } from './cluster-session.ts';
import { COMMANDS } from './commands.ts';
import { completeCommandLine, isCompletionRequest } from './completion/complete.ts';
import { COMPLETION_REQUEST } from './completion/completion-requests.ts';
import { runCommand } from './run-command.ts';
import { formatYaml } from './terminal/documents.ts';

const MANIFEST = join(createTemporaryFolderForFile(), 'hello.json');
writeFileSync(MANIFEST, JSON.stringify({ ...cronJob({ jitterSeconds: 60 }), metadata: { name: 'hello' } }));

const LINES = [
  ...['list', 'list -A', 'list -o wide', 'list -o json', 'list -o yaml', 'list -o name', 'list -l a=b'],
  ...['next', 'next -A -o wide', 'next -o json', 'next --time-zone Europe/Berlin'],
  ...[
    'why hello',
    'why hello -o json',
    'why hello --at 2026-01-01T00:00:00Z',
    'history hello',
    'history hello -o yaml',
  ],
  ...['logs hello', 'logs hello -f', 'logs hello --run hello-1 --tail 5', 'logs hello -c work'],
  ...['run hello', 'run hello --wait --timeout 1s', 'run hello --logs --timeout 1s', 'run hello -o json'],
  ...['run hello --arg a --wait --timeout 1s', 'retry hello --wait --timeout 1s', 'retry hello --run hello-r1 -o yaml'],
  ...['backfill hello --from 2025-12-31 --to 2026-01-01T00:30 --wait --timeout 1s'],
  ...['suspend hello', 'suspend -l a=b', 'suspend hello --until 2027-01-01T00:00:00Z', 'resume hello', 'resume -l a=b'],
  ...['suspend hello --dry-run', 'resume hello --skip-missed', 'suspend hello -o json', 'resume -l a=b -o yaml'],
  ...['import hello', 'import --all', 'import hello --dry-run', 'import hello --wait --timeout 1s'],
  ...['import hello --revert', 'import --all --revert --dry-run', 'import hello --keep-source --even-if-managed'],
  ...[`diff -f ${MANIFEST}`, `diff -f ${MANIFEST} -o json --days 31`],
  ...[
    `${COMPLETION_REQUEST} why `,
    `${COMPLETION_REQUEST} logs hello --run `,
    `${COMPLETION_REQUEST} import `,
    `${COMPLETION_REQUEST} list -n `,
  ],
];
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 120);
const MAX_CALLS = 40;

/** Never waits: each wait advances the time. */
class RushingClock implements Clock {
  #nowMs = Date.parse('2026-01-01T01:00:00Z');

  now(): Date {
    return new Date(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): () => void {
    const immediate = setImmediate(() => {
      this.#nowMs += Math.min(delayMs, 600_000);
      callback();
    });
    return () => clearImmediate(immediate);
  }
}

/** Runs the command and checks the rules of every command. @returns its output. */
async function checkLaw(
  line: readonly string[],
  kubeconfig: string,
  options: { input?: string; signal?: AbortSignal; screen?: object },
) {
  const { input, signal = new AbortController().signal, screen } = options;
  const terminal = new CapturedTerminal(input, screen);
  const clock = new RushingClock();
  const surroundings = { connect: () => connect({ kubeconfig }, 'test'), clock, now: clock.now() };
  const code = await runCommand(line, { ...surroundings, terminal, signal });
  const { out, err } = terminal.texts;
  expect([0, 1, 2, 130]).toContain(code);
  if (code !== 0 && code !== 130) expect(err + out).not.toBe('');
  expect(err).not.toMatch(STACK);
  if (line[0] !== 'logs') expect((out + err).replaceAll(OWN_COLORS, '')).not.toMatch(STEERING);
  return err;
}

function createConfig(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: {} }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: 'default' } }],
    'current-context': 'a',
  };
}

test('any response of a server', async () => {
  await using server = await HostileServer.start();
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(createConfig(server.url)));
  const property = fc.asyncProperty(fc.constantFrom(...LINES), fc.nat(), async (line, seed) => {
    server.seed(seed);
    const ending = new AbortController();
    server.onCall = (calls) => calls > MAX_CALLS && ending.abort();
    const args = line.split(' ');
    if (!isCompletionRequest(args)) {
      const screen = seed % 2 === 0 ? {} : { width: 80, hasColors: true };
      await checkLaw(args, kubeconfig, { signal: ending.signal, screen });
      return;
    }
    const clock = new RushingClock();
    const surroundings = { connect: () => connect({ kubeconfig }, 'test'), clock, now: clock.now() };
    expect(await completeCommandLine(args, surroundings)).toMatch(/:\d+\n$/);
  });
  await fc.assert(property, { numRuns: RUNS });
});

test('any content of a kubeconfig', async () => {
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const random = new Random(seed);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'false', interactiveMode: 'Never' };
    const users = [
      { name: 'a', user: random.pick([{}, { token: 'x' }, { exec }, { 'client-certificate-data': 'eA==' }]) },
    ];
    const config = mutate({ ...createConfig('https://127.0.0.1:1'), users }, random);
    writeFileSync(kubeconfig, random.pick([JSON.stringify, formatYaml, oddText(random)])(config) ?? '');
    await checkLaw(['list'], kubeconfig, {});
  });
  await fc.assert(property, { numRuns: RUNS });
});

test('any content of a file', async () => {
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const random = new Random(seed);
    const content = random.pick([JSON.stringify, formatYaml, oddText(random)])(mutate(cronJob(), random)) ?? '';
    const format = random.pick([[], ['-o', 'json'], ['--strict']]);
    const err = await checkLaw(['lint', '-', ...format], '', { input: content });
    expect(err).not.toContain('a fault of kubectl tcj');
  });
  await fc.assert(property, { numRuns: RUNS });
});

test('any command line', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...COMMANDS),
    fc.array(fc.string({ unit: 'binary' })),
    async (command, words) => {
      const flags = command.flags.map(({ name }) => `--${name}`);
      const args = words.flatMap((word, index) => [...(flags[index] ? [flags[index]] : []), word]);
      if (command.name === 'ui' || command.name === 'lint' || command.name === 'diff' || args.includes('--print'))
        return;
      const err = await checkLaw([command.name, ...args], '/nowhere', {});
      expect(err).not.toContain('a fault of kubectl tcj');
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});

/** Damages a text. */
function oddText(random: Random): (value: unknown) => string {
  return (value) => {
    const text = JSON.stringify(value) ?? '';
    const at = random.int(0, text.length);
    const pieces = ['', '\u0000', '\ufeff', '{', '&a [*a]', '---\n', '\t', '!!binary x', '<<: *x', '"', '\r'];
    return text.slice(0, at) + random.pick(pieces) + text.slice(at + random.int(0, 3));
  };
}

const STACK = /\s+at .*:\d+:\d+|TypeError|is not a function|of undefined|of null|not iterable/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about control characters.
const OWN_COLORS = /\u001b\[3[1-6]m|\u001b\[39m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about control characters.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u200b]/;
