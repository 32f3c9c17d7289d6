/** kubectl tcj run, logs and resume, on a real API server with a running manager. */
import { expect, inject, test } from 'vitest';
import { jobs } from '../../controllers/resources.ts';
import { AdmissionGate, JOB_CREATES } from '../support/admission-gate.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { shuttableWay } from '../support/shuttable-way.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import { createSeen, onlyJob, runByHand, tcj, tcjOn } from './support/tcj.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u200b\rover';
const SHOWN = '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}gnp.exe\\u{200b}\\u{d}over';

test('a run by hand is started, waited for, and its result is the exit code', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  for (const [end, code, said] of [
    ['Complete', 0, /^Job backup-m\w{9} was created\nThe manual run at .* UTC succeeded after \S+\.\n$/],
    ['Failed', 1, /^Job backup-m\w{9} was created\nThe manual run at .* UTC failed after \S+: Test\.\n$/],
  ] as const) {
    const running = tcj(scene, 'run backup --wait');
    const job = await onlyJob(scene);
    await scene.finish(job, end);
    const result = await running;
    const pointer = new RegExp(
      `^to see its logs, use: kubectl tcj logs backup -n \\S+ --run ${job.metadata.name} --kubeconfig \\S+\n$`,
    );
    expect(result).toMatchObject({ code, err: expect.stringMatching(code === 0 ? /^$/ : pointer) });
    expect(result.out).toMatch(said);
    await scene.client.delete(jobs, job.metadata, { propagationPolicy: 'Background' });
    await scene.clock.advance(1000); // each run has its own request time
  }
});

test('-o prints the Job that was created; a run that has to wait says for what, and does not start twice', async () => {
  await using scene = await Scene.open();
  await createSeen(scene, { concurrencyPolicy: 'Forbid' });
  const said = await tcj(scene, 'run backup -o json');
  const job = await onlyJob(scene);
  const { name, uid } = job.metadata;
  expect(said).toMatchObject({ code: 0, err: `Job ${name} created\n` });
  expect(JSON.parse(said.out)).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, uid } });
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  await scene.clock.advance(1000);
  const why = `it waits for the active run to end \\(concurrencyPolicy Forbid\\): ${name}\n`;
  expect(await tcj(scene, 'run backup --wait --timeout 1s')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      `^Job backup-m\\w{9} has not started: ${why}timed out waiting for Job backup-m\\w{9} to start; it starts as soon as it can\n$`,
    ),
  });
  const { namespace, clock } = scene;
  const blocked = { namespace, clock, waitsInVain: true };
  expect(await tcj(blocked, 'run backup -o yaml')).toMatchObject({ code: 1, out: '' });
  const named = await tcj(blocked, 'run backup -o name');
  expect(named).toMatchObject({ code: 0, out: expect.stringMatching(/^job\.batch\/backup-m\w{9}\n$/) });
  expect(named.err).toMatch(new RegExp(` has not started: ${why}`));
  const waiting = tcj(scene, 'run backup -o name --wait');
  await scene.finish(job, 'Complete');
  const next = await scene.eventually(async () => {
    const found = (await scene.jobs()).filter(({ metadata }) => metadata.uid !== uid);
    expect(found).toHaveLength(1);
    return found[0]!;
  });
  await scene.finish(next, 'Complete');
  expect(await waiting).toMatchObject({ code: 0, out: `job.batch/${next.metadata.name}\n` });
});

test('a run whose Job is refused has not started, and that is no success', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  const { namespace, client } = scene;
  await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [JOB_CREATES] });
  gate.verdict = () => 'deny';
  expect(await tcj(scene, 'run backup')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^Job backup-m\w{9} has not started: its Job cannot be created: .* denied.*\n$/),
  });
});

test('Ctrl-C leaves a run as it is, and says so', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  const terminal = new CapturedTerminal();
  const ending = new AbortController();
  const running = tcjOn(terminal, scene, 'run backup --wait', ending.signal);
  const job = await onlyJob(scene);
  await scene.eventually(async () => expect(terminal.texts.out).toContain(' created\n'));
  ending.abort();
  expect(await running).toBe(130);
  expect(terminal.texts.err).toBe(`interrupted; Job ${job.metadata.name} continues\n`);
});

test('what a run prints, as it prints it, and of a retry too', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
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
  const running = tcjOn(terminal, scene, 'run backup --logs');
  const job = await onlyJob(scene);
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

const none = (err: string) => ({ code: 1, out: '', err: expect.stringMatching(new RegExp(`^${err}\n$`)) });

test('why there is no log: no run, or its Pods are gone', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  expect(await tcj(scene, 'logs backup')).toEqual(none('kubectl tcj logs: this CronJob has no runs yet'));
  const gone = await runByHand(scene);
  await scene.finish(gone, 'Failed');
  await scene.eventually(async () =>
    expect(await tcj(scene, 'logs backup')).toEqual(
      none(
        `Job ${gone.metadata.name} has no logs: its Pods no longer exist\\. The manual run at .* failed after .*\\.`,
      ),
    ),
  );
});

test('why there is no log: the run, the container, or the way to its node', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  const { name } = (await runByHand(scene)).metadata;
  const running = `The manual run at .* is running, as Job ${name}\\.`;
  expect(await tcj(scene, 'logs backup')).toEqual(none(`Job ${name} has no logs: it has no Pods\\. ${running}`));
  expect(await tcj(scene, 'logs backup --run nope')).toEqual(
    none(`run nope not found; the most recent runs are ${name}.*`),
  );
  {
    await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async () => {});
    await kubelet.addPod(name, 'first', { work: 'ErrImagePull' });
    expect(await tcj(scene, 'logs backup -c nope')).toEqual(none(`Job ${name} has no container nope; it has work`));
    const waits = 'first/work has not started: ErrImagePull';
    expect(await tcj(scene, 'logs backup')).toEqual(
      none(`${waits}\nJob ${name} has no logs: no container has started\\. ${running}`),
    );
    await kubelet.addPod(name, 'second', { work: undefined });
  }
  const waits = 'second/work: the API server: .*\nfirst/work has not started: ErrImagePull';
  expect(await tcj(scene, 'logs backup -c work')).toEqual(
    none(`${waits}\ncannot read the logs of Job ${name}\\. ${running}`),
  );
});

test('resuming says which run that was missed starts now, and starts it, unless told not to', async () => {
  await using scene = await Scene.open();
  await createSeen(scene, { schedule: '* * * * *' });
  const suspendForAMinute = async () => {
    await tcj(scene, 'suspend backup');
    await scene.observed('backup');
    return await scene.passNextMinute();
  };
  await suspendForAMinute();
  expect((await tcj(scene, 'resume backup --skip-missed')).out).toMatch(/^\S+\/backup resumed\n$/);
  await scene.observed('backup');
  expect(await scene.jobs()).toEqual([]);
  const minute = await suspendForAMinute();
  expect((await tcj(scene, 'resume backup')).out).toMatch(
    /^\S+\/backup resumed; the missed run of \w{3} .* UTC starts now\n$/,
  );
  await scene.jobOf(minute);
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

  async answer(query: URLSearchParams, write: (text: string) => void, closed: Promise<unknown>): Promise<void> {
    const since = new Date(query.get('sinceTime') ?? 0);
    const gone = closed.then(() => 'gone');
    for (let next = 0; ; next = this.#lines.length) {
      for (const { time, text } of this.#lines.slice(next).filter((line) => line.time >= since)) {
        write(`${query.has('timestamps') ? `${time.toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`);
      }
      if (this.#isOver || !query.has('follow')) return;
      if ((await Promise.race([this.#changed.promise, gone])) === 'gone') return;
    }
  }
}

test('logs -f goes on where it was when a stream ended too soon, or the API server was out of reach, and says that once', async () => {
  await using way = await shuttableWay(inject('kubeconfig'));
  await using scene = await Scene.open();
  await createSeen(scene);
  const job = await runByHand(scene);
  const log = new PrintedLog();
  let streams = 0;
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ query, write, closed }) => {
    streams++;
    // Like a restarted kubelet, which ends open requests.
    if (streams < 3) query.delete('follow');
    await log.answer(query, write, closed);
  });
  await kubelet.addPod(job.metadata.name, 'first', { work: undefined });
  const terminal = new CapturedTerminal();
  log.print('one');
  log.print('one');
  const following = tcjOn(terminal, scene, 'logs backup -f', '--kubeconfig', way.kubeconfig);
  await scene.eventually(async () => expect(streams).toBeGreaterThan(2));
  expect(terminal.texts).toEqual({ out: 'one\none\n', err: '' });
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
    err: expect.stringMatching(/^cannot reach the API server \(\w+\); reconnecting\nreconnected to the API server\n$/),
  });
});

test('what a container prints steers no terminal, and goes through a pipe as it is', async () => {
  await using scene = await Scene.open();
  await createSeen(scene);
  const job = await runByHand(scene);
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
