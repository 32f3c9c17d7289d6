import { spawnSync } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { yieldToEventLoop } from '../clock/yielding-loop.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createLogger, type LoggerOptions } from './winston-logger.ts';

const clock = new FakeClock('2030-01-02T03:04:05.006Z');

/** A logger, and its output once it is closed. */
function logging(options: Partial<LoggerOptions> = {}) {
  const stream = new PassThrough();
  const log = createLogger({ level: 'debug', format: 'json', stream, clock, ...options });
  const lines = async () => {
    await log.close();
    const text = String(stream.read() ?? '');
    expect(text).toMatch(/^$|\n$/);
    return text.split('\n').slice(0, -1);
  };
  return { log, lines, stream };
}

test('writes one JSON object per line', async () => {
  const { log, lines } = logging();
  log.info('started', { port: 8081 });
  log.error('request failed', new Error('no luck'), { url: '/' });
  const [first, second, ...more] = await lines();
  expect(first).toBe('{"level":"info","ts":"2030-01-02T03:04:05.006Z","msg":"started","port":8081}');
  expect(JSON.parse(second ?? '')).toMatchObject({
    level: 'error',
    msg: 'request failed',
    error: { message: 'no luck' },
  });
  expect(more).toEqual([]);
});

test('writes short lines in the human format', async () => {
  const { log, lines } = logging({ format: 'human' });
  log.info('started', { port: 8081 });
  expect(await lines()).toEqual(['03:04:05.006 INFO  started port=8081']);
});

test('colours levels only on a terminal', async () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const { log } = logging({ format: 'human', stream: terminal });
  log.error('e', new Error());
  log.info('i');
  log.debug('d');
  await log.close();
  const levels = String(terminal.read()).match(/(?<=\.006 ).*?(?= [eid]$)/gm);
  expect(levels).toEqual(['\u001b[31mERROR\u001b[39m', '\u001b[32mINFO \u001b[39m', '\u001b[90mDEBUG\u001b[39m']);
});

test.each([
  ['error', ['e']],
  ['info', ['i', 'e']],
  ['debug', ['d', 'i', 'e']],
] as const)('at level %s drops lower levels', async (level, want) => {
  const { log, lines } = logging({ level });
  log.debug('d');
  log.info('i');
  log.error('e', new Error());
  expect((await lines()).map((line) => JSON.parse(line).msg)).toEqual(want);
});

test('with() adds its fields to every line, and later fields win', async () => {
  const { log, lines } = logging();
  const inner = log.with({ controller: 'cronjob', name: 'a' }).with({ name: 'b' });
  inner.info('one', { name: 'c', more: 1 });
  inner.info('two');
  log.info('three');
  const parsed = (await lines()).map((line) => JSON.parse(line));
  expect(parsed[0]).toMatchObject({ controller: 'cronjob', name: 'c', more: 1 });
  expect(parsed[1]).toMatchObject({ controller: 'cronjob', name: 'b' });
  expect(parsed[2]).not.toHaveProperty('controller');
});

describe('close', () => {
  test('waits until the stream has taken every line, also a slow one', async () => {
    const taken: string[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write(chunk, _, done) {
        setImmediate(() => {
          taken.push(String(chunk));
          done();
        });
      },
    });
    const { log } = logging({ format: 'human', stream: slow });
    for (let line = 0; line < 200; line++) {
      if (line % 10 === 0) await yieldToEventLoop();
      log.info('line', { line });
    }
    await log.close();
    expect(taken.join('').match(/INFO/g)).toHaveLength(200);
  });

  test('may be called twice, and later lines are dropped', async () => {
    const { log, lines } = logging();
    await log.close();
    await log.close();
    log.info('too late');
    log.with({ a: 1 }).error('too late', new Error());
    expect(await lines()).toEqual([]);
  });
});

test('does not handle errors of the stream', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('closed pipe')) });
  const errors: unknown[] = [];
  stream.on('error', (error) => errors.push(error.message));
  const { log } = logging({ stream });
  for (const message of ['one', 'two']) {
    log.info(message);
    await yieldToEventLoop();
  }
  await log.close();
  expect(errors).toEqual(['closed pipe']);
});

test.each([
  ['exits', 'process.exit(3)'],
  ['dies of an error', 'throw new Error("unexpected")'],
])('no line is lost when the process %s', (_, end) => {
  const program = `
    import { createLogger } from ${JSON.stringify(new URL('./winston-logger.ts', import.meta.url).href)};
    const log = createLogger({ level: 'info', format: 'json' });
    await new Promise(setImmediate);
    for (let line = 0; line < 100; line++) log.info('line', { line });
    ${end};`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 100 }, (_, line) => line));
  expect(status).not.toBe(0);
});
