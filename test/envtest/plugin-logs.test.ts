/** kubectl tcj logs and run --logs, with what containers print, and with an API server that is out of reach for a while. */
import { expect, inject, test } from 'vitest';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { shuttableWay } from '../support/shuttable-way.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import { tcj, tcjOn } from './support/tcj.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u200b\rover';
const SHOWN = '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}gnp.exe\\u{200b}\\u{d}over';

/** A CronJob with one run, whose Job is not over. */
async function running(scene: Scene) {
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  await scene.startManager();
  await scene.observed('backup');
  await tcj(scene, 'run backup');
  const [job] = await scene.hasJobs(1);
  if (job === undefined) throw new Error('no Job');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  return job;
}

/** The log of a container, as a kubelet answers for it. */
class PrintedLog {
  readonly #lines: { readonly time: Date; readonly text: string }[] = [];
  #changed = Promise.withResolvers<void>();
  isOver = false;

  print(text: string, isOver = false): void {
    this.#lines.push({ time: new Date(), text });
    this.isOver = isOver;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async answer(query: URLSearchParams, write: (text: string) => void, closed: Promise<unknown>): Promise<void> {
    const since = new Date(query.get('sinceTime') ?? 0);
    const gone = closed.then(() => 'gone');
    for (let next = 0; ; next = this.#lines.length) {
      for (const { time, text } of this.#lines.slice(next).filter((line) => line.time >= since)) {
        write(`${query.has('timestamps') ? `${time.toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`);
      }
      if (this.isOver || !query.has('follow')) return;
      if ((await Promise.race([this.#changed.promise, gone])) === 'gone') return;
    }
  }
}

test('logs -f goes on where it was when the API server was out of reach, and says so once', async () => {
  await using way = await shuttableWay(inject('kubeconfig'));
  await using scene = await Scene.open();
  const job = await running(scene);
  const log = new PrintedLog();
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, ({ query, write, closed }) =>
    log.answer(query, write, closed),
  );
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const terminal = new CapturedTerminal();
  log.print('one');
  log.print('one');
  const following = tcjOn(terminal, scene, 'logs backup -f', '--kubeconfig', way.kubeconfig);
  await scene.eventually(async () => expect(terminal.texts.out).toBe('one\none\n'));
  await way.shut();
  await scene.eventually(async () => expect(terminal.texts.err).toContain('; reconnecting\n'));
  log.print('two, that nobody saw');
  way.open();
  await scene.eventually(async () => expect(terminal.texts.out).toBe('one\none\ntwo, that nobody saw\n'));
  log.print('three', true);
  await scene.finish(job, 'Complete');
  expect(await following).toBe(0);
  expect(terminal.texts).toEqual({
    out: 'one\none\ntwo, that nobody saw\nthree\n',
    err: expect.stringMatching(/^cannot reach the API server \(\w+\); reconnecting\nthe API server answers again\n$/),
  });
});

test('logs -f reads on when a stream is over before its container is', async () => {
  await using scene = await Scene.open();
  const job = await running(scene);
  const log = new PrintedLog();
  let streams = 0;
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ query, write, closed }) => {
    streams++;
    // As one that is started again: it ends what it was asked.
    if (streams < 3) query.delete('follow');
    await log.answer(query, write, closed);
  });
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const terminal = new CapturedTerminal();
  log.print('one');
  const following = tcjOn(terminal, scene, 'logs backup -f');
  await scene.eventually(async () => expect(streams).toBeGreaterThan(2));
  log.print('two', true);
  await scene.finish(job, 'Complete');
  expect(await following).toBe(0);
  expect(terminal.texts).toEqual({ out: 'one\ntwo\n', err: '' });
});

test('what a container prints steers no terminal, and goes through a pipe as it is', async () => {
  await using scene = await Scene.open();
  const job = await running(scene);
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ write }) => {
    write(`${HOSTILE}\nwindows\r\n${'x'.repeat(5_000_000)}`);
  });
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const screen = new CapturedTerminal('', { width: 80, hasColors: true });
  expect(await tcjOn(screen, scene, 'logs backup')).toBe(0);
  expect(screen.texts).toEqual({
    out: `${SHOWN}\nwindows\n${'x'.repeat(65_536)} … (cut: the line is longer than 64 KiB)\n`,
    err: '',
  });
  const { out } = await tcj(scene, 'logs backup');
  expect(out === `${HOSTILE}\nwindows\r\n${'x'.repeat(5_000_000)}`).toBe(true);
});
