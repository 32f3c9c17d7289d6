/** kubectl tcj run, logs and resume, on a real API server with a running manager. */
import { expect, inject, test } from 'vitest';
import { jobs } from '../../controllers/resources.ts';
import { AdmissionGate, JOB_CREATES } from '../support/admission-gate.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { createSwitchableRelay } from '../support/switchable-relay.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import { createObserved, getOnlyJob, startManualRun, type TcjResult, tcj, tcjWithTerminal } from './support/tcj.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u200b\rover';
const ESCAPED = '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}gnp.exe\\u{200b}\\u{d}over';

test('run starts a manual run, waits for it, and exits with its result', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  for (const [end, code, output] of [
    ['Complete', 0, /^Job backup-r\w{9} created\nThe manual run at .* UTC succeeded after \S+\.\n$/],
    ['Failed', 1, /^Job backup-r\w{9} created\nThe manual run at .* UTC failed after \S+: Test\.\n$/],
  ] as const) {
    const running = tcj(scene, 'run backup --wait');
    const job = await getOnlyJob(scene);
    await scene.finish(job, end);
    const result = await running;
    const pointer = new RegExp(
      `^to see its logs, use: kubectl tcj logs backup -n \\S+ --run ${job.metadata.name} --kubeconfig \\S+\n$`,
    );
    expect(result).toMatchObject({ code, err: expect.stringMatching(code === 0 ? /^$/ : pointer) });
    expect(result.out).toMatch(output);
    await scene.client.delete(jobs, job.metadata, { propagationPolicy: 'Background' });
    await scene.clock.advance(1000); // each run has its own request time
  }
});

test('-o prints the created Job; a waiting run prints the reason, and starts later', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { concurrencyPolicy: 'Forbid' });
  const result = await tcj(scene, 'run backup -o json');
  const job = await getOnlyJob(scene);
  const { name, uid } = job.metadata;
  expect(result).toMatchObject({ code: 0, err: `Job ${name} created\n` });
  expect(JSON.parse(result.out)).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, uid } });
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  await scene.clock.advance(1000);
  const reason = `it waits for the active run to end \\(concurrencyPolicy Forbid\\): ${name}\n`;
  expect(await tcj(scene, 'run backup --wait --timeout 1s')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      `^Job backup-r\\w{9} has not started: ${reason}timed out waiting for Job backup-r\\w{9} to start; it starts as soon as it can\n$`,
    ),
  });
  const { namespace, clock } = scene;
  const blocked = { namespace, clock, willTimeOut: true };
  expect(await tcj(blocked, 'run backup -o yaml')).toMatchObject({ code: 1, out: '' });
  const named = await tcj(blocked, 'run backup -o name');
  expect(named).toMatchObject({ code: 0, out: expect.stringMatching(/^job\.batch\/backup-r\w{9}\n$/) });
  expect(named.err).toMatch(new RegExp(` has not started: ${reason}`));
  let lastResult: TcjResult | undefined;
  const waiting = tcj(scene, 'run backup -o name --wait').then((each) => {
    lastResult = each;
  });
  // The earlier requests still start their runs, one after another.
  await scene.eventually(async () => {
    for (const each of await scene.jobs()) if (!each.status?.completionTime) await scene.finish(each, 'Complete');
    expect(lastResult).toMatchObject({ code: 0, out: expect.stringMatching(/^job\.batch\/backup-r\w{9}\n$/) });
  });
  await waiting;
});

test('run fails when the API server refuses the Job', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { namespace, client } = scene;
  await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [JOB_CREATES] });
  gate.verdict = () => 'deny';
  expect(await tcj(scene, 'run backup')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^Job backup-r\w{9} has not started: its Job cannot be created: .* denied.*\n$/),
  });
});

test('Ctrl-C does not stop the run, and says so', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const terminal = new CapturedTerminal();
  const ending = new AbortController();
  const running = tcjWithTerminal(terminal, scene, 'run backup --wait', ending.signal);
  const job = await getOnlyJob(scene);
  await scene.eventually(async () => expect(terminal.texts.out).toContain(' created\n'));
  ending.abort();
  expect(await running).toBe(130);
  expect(terminal.texts.err).toBe(`interrupted; Job ${job.metadata.name} continues\n`);
});

test('logs prints the output of a run and of its retries', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ pod, write, query }) => {
    write(`${pod} begins\n`);
    if (query.get('tailLines') === '1') write('only the tail\n');
    if (pod === 'second' && query.has('follow')) {
      await isOver;
      write('second ends');
    }
  });
  const terminal = new CapturedTerminal();
  const running = tcjWithTerminal(terminal, scene, 'run backup --logs');
  const job = await getOnlyJob(scene);
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  await scene.eventually(async () => expect(terminal.texts.out).toContain('first begins\n'));
  await kubelet.addPod(job.metadata.name, 'second', { work: undefined, sidecar: 'PodInitializing' });
  await scene.eventually(async () => expect(terminal.texts.out).toContain('[second/work] second begins\n'));
  expect(terminal.texts.out).not.toContain('ends');
  await scene.finish(job, 'Complete');
  end();
  expect(await running).toBe(0);
  expect(terminal.texts.out).toMatch(
    /^Job \S+ created\nfirst begins\n\[second\/work\] second begins\n\[second\/work\] second ends\nThe manual run .* succeeded after \S+\.\n$/,
  );
  expect(terminal.texts.err).toBe('second/sidecar has not started: PodInitializing\n');

  expect(await tcj(scene, 'logs backup')).toEqual({
    code: 0,
    out: '[first/work] first begins\n[second/work] second begins\n',
    err: 'second/sidecar has not started: PodInitializing\n',
  });
  expect(await tcj(scene, 'logs backup -c work --tail 1')).toEqual({
    code: 0,
    out: expect.stringMatching(/^(\[(first|second)\/work\] (first begins|second begins|only the tail)\n){4}$/),
    err: '',
  });
});

const expectNoLog = (err: string) => ({ code: 1, out: '', err: expect.stringMatching(new RegExp(`^${err}\n$`)) });

test('logs explains a missing log: no run, or deleted Pods', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  expect(await tcj(scene, 'logs backup')).toEqual(expectNoLog('kubectl tcj logs: this CronJob has no runs yet'));
  const job = await startManualRun(scene);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () =>
    expect(await tcj(scene, 'logs backup')).toEqual(
      expectNoLog(
        `Job ${job.metadata.name} has no logs: its Pods no longer exist\\. The manual run at .* failed after .*\\.`,
      ),
    ),
  );
});

test('logs explains a missing log: the run, the container, or an unreachable node', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { name } = (await startManualRun(scene)).metadata;
  const running = `The manual run at .* is running, as Job ${name}\\.`;
  expect(await tcj(scene, 'logs backup')).toEqual(expectNoLog(`Job ${name} has no logs: it has no Pods\\. ${running}`));
  expect(await tcj(scene, 'logs backup --run nope')).toEqual(
    expectNoLog(`run nope not found; the most recent runs are ${name}.*`),
  );
  {
    await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async () => {});
    await kubelet.addPod(name, 'first', { work: 'ErrImagePull' });
    expect(await tcj(scene, 'logs backup -c nope')).toEqual(
      expectNoLog(`Job ${name} has no container nope; its containers are work`),
    );
    const waits = 'first/work has not started: ErrImagePull';
    expect(await tcj(scene, 'logs backup')).toEqual(
      expectNoLog(`${waits}\nJob ${name} has no logs: no container has started\\. ${running}`),
    );
    await kubelet.addPod(name, 'second', { work: undefined });
  }
  const waits = 'second/work: the API server: .*\nfirst/work has not started: ErrImagePull';
  expect(await tcj(scene, 'logs backup -c work')).toEqual(
    expectNoLog(`${waits}\ncannot read the logs of Job ${name}\\. ${running}`),
  );
});

test('resume names the missed run that starts now, and starts it by default', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { schedule: '* * * * *' });
  const suspendForAMinute = async () => {
    await tcj(scene, 'suspend backup');
    await scene.waitUntilObserved('backup');
    return await scene.passNextMinute();
  };
  await suspendForAMinute();
  expect((await tcj(scene, 'resume backup --skip-missed')).out).toMatch(/^\S+\/backup resumed\n$/);
  await scene.waitUntilObserved('backup');
  expect(await scene.jobs()).toEqual([]);
  const minute = await suspendForAMinute();
  expect((await tcj(scene, 'resume backup')).out).toMatch(
    /^\S+\/backup resumed; the missed run of \w{3} .* UTC starts now\n$/,
  );
  await scene.waitForJob(minute);
});

/** The log of a container, in the response of a kubelet. */
class PrintedLog {
  readonly #lines: { readonly time: Date; readonly text: string }[] = [];
  #changed = Promise.withResolvers<void>();
  #isOver = false;

  print(text: string, isOver = false): void {
    this.#lines.push({ time: new Date(), text });
    this.#isOver = isOver;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async serve(query: URLSearchParams, write: (text: string) => void, closed: Promise<unknown>): Promise<void> {
    const since = new Date(query.get('sinceTime') ?? 0);
    const closedMarker = closed.then(() => 'gone');
    for (let next = 0; ; next = this.#lines.length) {
      for (const { time, text } of this.#lines.slice(next).filter((line) => line.time >= since)) {
        write(`${query.has('timestamps') ? `${time.toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`);
      }
      if (this.#isOver || !query.has('follow')) return;
      if ((await Promise.race([this.#changed.promise, closedMarker])) === 'gone') return;
    }
  }
}

test('logs -f continues after an early end of the stream or an outage of the API server, and reports it once', async () => {
  await using relay = await createSwitchableRelay(inject('kubeconfig'));
  await using scene = await Scene.open();
  await createObserved(scene);
  const job = await startManualRun(scene);
  const log = new PrintedLog();
  let streams = 0;
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ query, write, closed }) => {
    streams++;
    // Like a restarted kubelet, which ends open requests.
    if (streams < 3) query.delete('follow');
    await log.serve(query, write, closed);
  });
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const terminal = new CapturedTerminal();
  log.print('one');
  log.print('one');
  const following = tcjWithTerminal(terminal, scene, 'logs backup -f', '--kubeconfig', relay.kubeconfig);
  await scene.eventually(async () => expect(streams).toBeGreaterThan(2));
  expect(terminal.texts).toEqual({ out: 'one\none\n', err: '' });
  await relay.shut();
  await scene.eventually(async () => expect(terminal.texts.err).toContain('; reconnecting\n'));
  log.print('two, while disconnected');
  relay.open();
  await scene.eventually(async () => expect(terminal.texts.out).toBe('one\none\ntwo, while disconnected\n'));
  log.print('three', true);
  await scene.finish(job, 'Complete');
  expect(await following).toBe(0);
  expect(terminal.texts).toEqual({
    out: 'one\none\ntwo, while disconnected\nthree\n',
    err: expect.stringMatching(/^cannot reach the API server \(\w+\); reconnecting\nreconnected to the API server\n$/),
  });
});

test('logs escapes control characters on a terminal, and keeps them in a pipe', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const job = await startManualRun(scene);
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ write }) => {
    write(`${HOSTILE}\nwindows\r\n${'x'.repeat(5_000_000)}`);
  });
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const screen = new CapturedTerminal('', { width: 80, hasColors: true });
  expect(await tcjWithTerminal(screen, scene, 'logs backup')).toBe(0);
  expect(screen.texts).toEqual({
    out: `${ESCAPED}\nwindows\n${'x'.repeat(65_536)} … (cut: the line is longer than 64 KiB)\n`,
    err: '',
  });
  const { out } = await tcj(scene, 'logs backup');
  expect(out === `${HOSTILE}\nwindows\r\n${'x'.repeat(5_000_000)}`).toBe(true);
});
