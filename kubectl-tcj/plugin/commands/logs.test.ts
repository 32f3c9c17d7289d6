import { core } from 'controller-runtime/kubernetes';
import { expect, test } from 'vitest';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { WaitingCommand } from '../../../test/support/waiting-command.ts';

const JOB_NAME = 'hello-1767225600';
const RUNNING = { recentRuns: [`2026-01-01T00:00:00Z Running ${JOB_NAME} Schedule`] };
const SUCCEEDED = { recentRuns: [`2026-01-01T00:00:00Z Succeeded ${JOB_NAME} Schedule`] };
const POD_KEY = { namespace: 'default', name: 'pod' };

function putPod({ server }: WaitingCommand, restartCount: number, extra: object = {}): void {
  server.put(core.v1.pods, {
    metadata: { ...POD_KEY, labels: { 'batch.kubernetes.io/job-name': JOB_NAME } },
    spec: { containers: [{ name: 'work', image: 'busybox' }], ...extra },
    status: {
      containerStatuses: [{ name: 'work', restartCount, state: { running: {} } }],
      ephemeralContainerStatuses: [{ name: 'debugger', restartCount: 0, state: { terminated: { exitCode: 1 } } }],
    } as object,
  });
}

/** Sets the log of all containers. */
function setLog({ server }: WaitingCommand, text: string, headers = {}): void {
  server.clearFaults();
  server.fail({ subresource: 'log' }, { kind: 'text', code: 200, text, headers }, Number.POSITIVE_INFINITY);
}

async function openRun(terminal?: CapturedTerminal): Promise<WaitingCommand> {
  const command = await WaitingCommand.open(terminal);
  command.status(RUNNING);
  putPod(command, 0);
  return command;
}

test('logs -f prints the last words of a container before the log of its next start', async () => {
  await using command = await openRun(new CapturedTerminal('', { width: 80 }));
  setLog(command, '2026-01-01T00:00:00Z one\n2026-01-01T00:00:01Z panic');
  command.start('logs', 'hello', '-f');
  await command.eventually(() => expect(command.terminal.texts.out).toBe('one\n'));
  setLog(command, '2026-01-01T00:00:02Z two\n');
  putPod(command, 1);
  await command.eventually(() => expect(command.terminal.texts.out).toContain('two\n'));
  command.status(SUCCEEDED);
  expect(await command.exitCode()).toBe(0);
  expect(command.terminal.texts).toEqual({ out: 'one\npanic\ntwo\n', err: '' });
});

test('logs -f gives up a log that it cannot reach when the Pod no longer exists', async () => {
  await using command = await openRun();
  command.server.fail({ subresource: 'log' }, { kind: 'drop' }, Number.POSITIVE_INFINITY);
  command.start('logs', 'hello', '-f');
  await command.eventually(() => expect(command.server.count({ subresource: 'log' })).toBeGreaterThan(0));
  command.server.remove(core.v1.pods, POD_KEY);
  command.status(SUCCEEDED);
  expect(await command.exitCode()).toBe(1);
  expect(command.terminal.texts.err).toMatch(
    /^pod\/work: the rest of the log cannot be read: .* its Pod was deleted\n/,
  );
  expect(command.terminal.texts.err).not.toContain('check the network');
});

test('logs -f says immediately that a log is not from the API server, and continues', async () => {
  await using command = await openRun();
  setLog(command, '<html>', { 'content-type': 'text/html' });
  command.start('logs', 'hello', '-f');
  await command.eventually(() =>
    expect(command.terminal.texts.err).toMatch(/^pod\/work: GET \S+ returned 200 OK with HTML.*; reconnecting\n$/),
  );
  setLog(command, '2026-01-01T00:00:00Z one\n');
  await command.eventually(() => expect(command.terminal.texts.out).toBe('one\n'));
  command.status(SUCCEEDED);
  expect(await command.exitCode()).toBe(0);
});

test('logs prints the log of an ephemeral container', async () => {
  await using command = await openRun();
  putPod(command, 0, { ephemeralContainers: [{ name: 'debugger', image: 'busybox' }] });
  setLog(command, 'shell\n');
  command.start('logs', 'hello', '-c', 'debugger');
  expect(await command.exitCode()).toBe(0);
  expect(command.terminal.texts).toEqual({ out: 'shell\n', err: '' });
});

test('logs reports no fault of the plugin for a Pod without containers', async () => {
  await using command = await openRun();
  putPod(command, 0, { containers: undefined });
  command.start('logs', 'hello');
  expect(await command.exitCode()).toBe(1);
  expect(command.terminal.texts.err).toContain('has no logs');
});

test('logs -f asks again after half a minute although a proxy asks for a day', async () => {
  await using command = await openRun();
  command.status(SUCCEEDED);
  setLog(command, '2026-01-01T00:00:00Z one\n');
  command.server.fail({ plural: 'pods', verb: 'list' }, { kind: 'error', code: 503, retryAfterSeconds: 86_400 });
  command.start('logs', 'hello', '-f');
  expect(await command.exitCode()).toBe(0);
  expect(command.clock.monotonicMs()).toBeLessThan(60_000);
  expect(command.terminal.texts.out).toBe('one\n');
});

test('logs explains a log that stops in the middle of the response', async () => {
  await using command = await openRun();
  command.server.fail({ subresource: 'log' }, { kind: 'hang' });
  command.start('logs', 'hello');
  expect(await command.exitCode()).toBe(1);
  expect(command.terminal.texts.err).toMatch(/^pod\/work: the API server has sent nothing for 60 s\n/);
});
