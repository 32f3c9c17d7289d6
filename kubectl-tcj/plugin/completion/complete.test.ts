import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { connect } from '../cluster-session.ts';
import { COMMANDS } from '../commands.ts';
import { completeCommandLine } from './complete.ts';
import { COMPLETION_REQUEST, QUOTED_COMPLETION_REQUEST } from './completion-requests.ts';

const clock = () => new FakeClock(new Date(0));

/** The completion without a cluster. */
const answered = (...words: readonly string[]) =>
  completeCommandLine(words, { clock: clock(), connect: () => expect.unreachable('no cluster is asked') });

/** The candidates without their descriptions, followed by the directive. */
async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  const text = await answered(COMPLETION_REQUEST, ...words);
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => line.split('\t')[0] ?? '');
}

test('completes commands with their descriptions', async () => {
  expect(await candidates('')).toEqual([...COMMANDS.map(({ name }) => name), ':4']);
  expect(await answered(COMPLETION_REQUEST, 'his')).toMatch(/^history\tShow the past runs .*\.\n:4\n$/);
});

describe.each(COMMANDS)('$name', ({ name, flags }) => {
  test('completes its flags, except flags on the line', async () => {
    const words = flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]);
    expect(await candidates(name, '-')).toEqual([...words, ':4']);
    const longest = flags.find((flag) => flag.value !== undefined && !flag.isRepeated);
    if (longest !== undefined)
      expect(await candidates(name, `--${longest.name}=x`, '-')).not.toContain(`--${longest.name}`);
  });

  test('completes the values of flags', async () => {
    for (const { name: flag, short, values } of flags.filter((each) => Array.isArray(each.values))) {
      expect(await candidates(name, `--${flag}`, '')).toEqual([...(values as readonly string[]), ':4']);
      expect(await candidates(name, `--${flag}=`)).toEqual([...(values as readonly string[]), ':4']);
      if (short !== undefined) expect(await candidates(name, `-${short}`, '')).toContain(values?.[0]);
    }
  });
});

test.each([
  ['list -o j', 'json :4'],
  ['list --output=y', 'yaml :4'],
  ['list x', ':4'],
  ['nonsense ', ':4'],
  ['nons', ':4'],
  ['list --nonsense ', ':4'],
  ['lint a.yaml ', ':0'],
  ['diff -f a.yaml --filen', '--filename :4'],
  ['list --kubeconfig ', ':0'],
  ['suspend --for ', ':4'],
  ['completion z', 'zsh :4'],
  ['run a --arg x --ar', '--arg :4'],
  ['backfill a --from x --fr', ':4'],
  ['completion zsh ', ':4'],
  ['schedule @daily --time-zone Europe/Berl', 'Europe/Berlin :4'],
  ['completion -- -', ':4'],
])('%j', async (line, want) => {
  expect((await candidates(...line.split(' '))).join(' ')).toBe(want);
});

test('completes contexts from --kubeconfig and from KUBECONFIG', async () => {
  const folder = createTemporaryFolder();
  const kubeconfig = (...names: readonly string[]) => {
    const file = join(folder, names.join('-'));
    writeFileSync(file, JSON.stringify({ contexts: names.map((name) => ({ name })) }));
    return file;
  };
  expect(await candidates('list', '--kubeconfig', kubeconfig('dev', 'arn:x'), '--context', '')).toEqual([
    'arn:x',
    'dev',
    ':4',
  ]);
  vi.stubEnv('KUBECONFIG', `${kubeconfig('one')}:${kubeconfig('two')}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await candidates('list', '--context', '')).toEqual(['one', 'two', ':4']);
});

test('completes a context with special characters only for scripts that quote it', async () => {
  const file = join(createTemporaryFolder(), 'kubeconfig');
  const odd = ['a b', 'a;touch x', '$(touch x)', '`touch x`', "it's", '~', '*'];
  const contexts = [...odd, 'plain', 'new\nline', '\u001b[31mred'].map((name) => ({ name }));
  writeFileSync(file, JSON.stringify({ contexts }));
  const offered = async (verb: string) =>
    (await answered(verb, 'list', '--kubeconfig', file, '--context', '')).trimEnd().split('\n');
  expect(await offered(COMPLETION_REQUEST)).toEqual(['plain', ':4']);
  expect(await offered(QUOTED_COMPLETION_REQUEST)).toEqual([...[...odd, 'plain'].toSorted(), ':4']);
});

test('completes nothing without a kubeconfig', async () => {
  const text = await completeCommandLine([COMPLETION_REQUEST, 'why', '--kubeconfig', '/nowhere', ''], {
    clock: clock(),
    connect: (options) => connect(options, 'test'),
  });
  expect(text).toBe(':4\n');
});

test('waits two seconds for a cluster', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const file = join(createTemporaryFolder(), 'kubeconfig');
  const config = {
    clusters: [{ name: 'a', cluster: { server: `https://127.0.0.1:${port}` } }],
    users: [{ name: 'a', user: { token: 'none' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  };
  writeFileSync(file, JSON.stringify(config));
  const time = clock();
  const text = completeCommandLine([COMPLETION_REQUEST, 'why', '--kubeconfig', file, ''], {
    clock: time,
    connect: (options) => connect(options, 'test'),
  });
  let isOver = false;
  void text.then(() => {
    isOver = true;
  });
  await once(server, 'connection');
  await time.advance(1999);
  expect(isOver).toBe(false);
  await time.advance(1);
  expect(await text).toBe(':4\n');
});
