/** kubectl tcj run, logs and resume, at a real API server with a manager that runs. */
import { expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { jobs } from '../../controllers/resources.ts';
import { AdmissionGate, JOB_CREATES } from '../support/admission-gate.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import { tcj, tcjOn } from './support/tcj.ts';

/** A CronJob that a manager has seen and that is never due by itself. */
async function seen(scene: Scene, spec: object = {}): Promise<void> {
  await scene.createCronJob({ schedule: '0 0 1 1 *', ...spec }, 'backup');
  await scene.startManager();
  await scene.observed('backup');
}

async function onlyJob(scene: Scene): Promise<Job> {
  const [job] = await scene.hasJobs(1);
  if (job === undefined) throw new Error('no Job');
  return job;
}

test('a run by hand is started, waited for, and its result is the exit code', async () => {
  await using scene = await Scene.open();
  await seen(scene);
  for (const [end, code, said] of [
    ['Complete', 0, /^Job backup-m\w{9} was created\nThe manual run at .* UTC succeeded after \S+\.\n$/],
    ['Failed', 1, /^Job backup-m\w{9} was created\nThe manual run at .* UTC failed after \S+: Test\.\n$/],
  ] as const) {
    const running = tcj(scene, 'run backup --wait');
    const job = await onlyJob(scene);
    await scene.finish(job, end);
    const result = await running;
    const pointer = new RegExp(
      `^see what it printed: kubectl tcj logs backup -n \\S+ --run ${job.metadata.name} --kubeconfig \\S+\n$`,
    );
    expect(result).toMatchObject({ code, err: expect.stringMatching(code === 0 ? /^$/ : pointer) });
    expect(result.out).toMatch(said);
    await scene.client.delete(jobs, job.metadata, { propagationPolicy: 'Background' });
    await scene.clock.advance(1000); // each run is asked for at a time of its own
  }
});

test('-o prints the Job that was created, and is no success without one', async () => {
  await using scene = await Scene.open();
  await seen(scene, { concurrencyPolicy: 'Forbid' });
  const said = await tcj(scene, 'run backup -o json');
  const job = await onlyJob(scene);
  expect(said).toMatchObject({ code: 0, err: `Job ${job.metadata.name} was created\n` });
  expect(JSON.parse(said.out)).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: job.metadata.name, uid: job.metadata.uid },
  });
  await scene.clock.advance(1000);
  const { namespace, clock } = scene;
  const blocked = { namespace, clock, waitsInVain: true };
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  expect(await tcj(blocked, 'run backup -o yaml')).toMatchObject({ code: 1, out: '' });
  const named = await tcj(blocked, 'run backup -o name');
  expect(named).toMatchObject({ code: 0, out: expect.stringMatching(/^job\.batch\/backup-m\w{9}\n$/) });
  expect(named.err).toContain(' has not started: it waits until the active run has ended ');
  const waiting = tcj(scene, 'run backup -o name --wait');
  await scene.finish(job, 'Complete');
  const next = await scene.eventually(async () => {
    const found = (await scene.jobs()).find(({ metadata }) => metadata.uid !== job.metadata.uid);
    if (found === undefined) throw new Error('no second Job yet');
    return found;
  });
  await scene.finish(next, 'Complete');
  expect(await waiting).toMatchObject({ code: 0, out: `job.batch/${next.metadata.name}\n` });
  expect(await tcj(scene, 'run backup -o name --logs')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--output and --logs exclude each other'),
  });
});

test('a run that has to wait says for what, and does not start twice', async () => {
  await using scene = await Scene.open();
  await seen(scene, { concurrencyPolicy: 'Forbid' });
  expect(await tcj(scene, 'run backup')).toMatchObject({ code: 0, err: '' });
  const job = await onlyJob(scene);
  await scene.clock.advance(1000);
  expect(await tcj(scene, 'run backup --wait --timeout 1s')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      `^Job backup-m\\w{9} has not started: it waits until the active run has ended \\(concurrencyPolicy Forbid\\): ${job.metadata.name}\nJob backup-m\\w{9} has not started in time; it starts by itself as soon as it can\n$`,
    ),
  });
  expect(await scene.jobs()).toHaveLength(1);
});

test('a run whose Job is refused has not started, and that is no success', async () => {
  await using scene = await Scene.open();
  await seen(scene);
  const { namespace, client } = scene;
  await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [JOB_CREATES] });
  gate.verdict = () => 'deny';
  expect(await tcj(scene, 'run backup')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^Job backup-m\w{9} has not started: its Job cannot be created: .* denied.*\n$/),
  });
  expect(await tcj(scene, 'run backup --timeout 1m')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--timeout is for --wait and --logs'),
  });
});

test('nobody would start a run', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({}, 'backup');
  const { code, err } = await tcj(scene, 'run backup');
  expect({ code, err }).toEqual({
    code: 1,
    err: 'kubectl tcj run: no manager has looked at this CronJob, so that none would start a run; see that one runs\n',
  });
});

test('Ctrl-C leaves a run as it is, and says so', async () => {
  await using scene = await Scene.open();
  await seen(scene);
  const terminal = new CapturedTerminal();
  const ending = new AbortController();
  const running = tcjOn(terminal, scene, 'run backup --wait', ending.signal);
  const job = await onlyJob(scene);
  await scene.eventually(async () => expect(terminal.texts.out).toContain('was created'));
  ending.abort();
  expect(await running).toBe(130);
  expect(terminal.texts.err).toBe(`interrupted: Job ${job.metadata.name} is not taken back, and goes on\n`);
});

test('what a run prints, as it prints it, and of a retry too', async () => {
  await using scene = await Scene.open();
  await seen(scene);
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
    /^Job \S+ was created\nfirst begins\n\[second\/work\] second begins\n\[second\/work\] second ends\nThe manual run .* succeeded after \S+\.\n$/,
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

test('a run whose Pods are gone has no logs, and one is told how it ended', async () => {
  await using scene = await Scene.open();
  await seen(scene);
  expect(await tcj(scene, 'logs backup')).toMatchObject({
    code: 1,
    err: 'kubectl tcj logs: no run is known of this CronJob\n',
  });
  await tcj(scene, 'run backup');
  const job = await onlyJob(scene);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.lastRun?.result).toBe('Failed'));
  const { code, out, err } = await tcj(scene, 'logs backup');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^no container of Job backup-m\w{9} has a log: its Pods are gone\. The manual run at .* failed after .*\.\n$/,
  );
});

test('why there is no log: the container, the run or the way to its node', async () => {
  await using scene = await Scene.open();
  await seen(scene);
  await tcj(scene, 'run backup');
  const { name } = (await onlyJob(scene)).metadata;
  const none = (err: string) => ({ code: 1, out: '', err: expect.stringMatching(new RegExp(`^${err}\n$`)) });
  const running = `The manual run at .* is running, as Job ${name}\\.`;
  await scene.eventually(async () =>
    expect(await tcj(scene, 'logs backup')).toEqual(
      none(`no container of Job ${name} has a log: it has no Pod\\. ${running}`),
    ),
  );
  expect(await tcj(scene, 'logs backup --run nope')).toEqual(
    none(`no run nope of this CronJob is known, and it has no Pod; its newest runs are ${name}`),
  );
  {
    await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async () => {});
    await kubelet.addPod(name, 'first', { work: 'ErrImagePull' });
    expect(await tcj(scene, 'logs backup -c nope')).toEqual(none(`Job ${name} has no container nope; it has work`));
    expect(await tcj(scene, 'logs backup')).toEqual(
      none(
        `first/work has not started: ErrImagePull\nno container of Job ${name} has a log: none has started\\. ${running}`,
      ),
    );
    await kubelet.addPod(name, 'second', { work: undefined });
  }
  expect(await tcj(scene, 'logs backup -c work')).toEqual(
    none(
      `second/work: the API server: .*\nfirst/work has not started: ErrImagePull\nno log of Job ${name} could be read\\. ${running}`,
    ),
  );
});

test('resuming says which run that was missed starts now, and starts it, unless told not to', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({}, 'backup');
  await scene.startManager();
  await scene.observed('backup');
  for (const flag of ['--skip-missed', undefined]) {
    await tcj(scene, 'suspend backup');
    await scene.observed('backup');
    const minute = await scene.passNextMinute();
    const { out } = await tcj(scene, 'resume backup', ...(flag === undefined ? [] : [flag]));
    if (flag === undefined) {
      expect(out).toMatch(/^\S+\/backup resumed; the run of \w{3} .* UTC, which it missed, starts now\n$/);
      const job = await onlyJob(scene);
      expect(job.metadata.name).toBe(`backup-${Date.parse(minute) / 1000}`);
    } else {
      expect(out).toMatch(/^\S+\/backup resumed\n$/);
      await scene.observed('backup');
      expect(await scene.jobs()).toEqual([]);
    }
  }
});
