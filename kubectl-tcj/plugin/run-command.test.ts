import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from 'controller-runtime';
import { batch, core } from 'controller-runtime/kubernetes';
import { FakeApiServer } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../test/support/captured-terminal.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { runTcj } from '../../test/support/run-tcj.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { TunnelProxy } from '../../test/support/tunnel-proxy.ts';
import { connect, type SessionOptions } from './cluster-session.ts';
import { cronJobs } from './cron-jobs.ts';
import { runCommand } from './run-command.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u200b';
const SHOWN = '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}gnp.exe\\u{200b}';

test.each([
  { fault: { kind: 'error', code: 403, message: HOSTILE }, of: 'a refusal' },
  { fault: { kind: 'error', code: 500, message: HOSTILE }, of: 'a failure' },
  { fault: { kind: 'text', code: 502, text: HOSTILE }, of: 'a proxy' },
] as const)('the text of $of does not steer the terminal', async ({ fault }) => {
  await using server = await FakeApiServer.start();
  for (const line of ['list', 'run backup', 'why backup', 'logs backup', 'import backup']) {
    const terminal = new CapturedTerminal('', { width: 80, hasColors: true });
    server.fail({}, fault);
    expect(await runTcj(server, line.split(' '), { terminal })).toBe(1);
    expect(terminal.texts.out).toBe('');
    const [start, end] = terminal.texts.err.split(SHOWN);
    expect(start).toMatch(/^kubectl tcj \w+: the API server: (?:GET http\S+ returned 502 Bad Gateway: )?$/);
    expect(end).toBe('\n');
  }
});

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html' };

test.each([
  { text: '<html>\n<body>Please log in</body></html>', headers: HTML, of: 'a login page' },
  { text: '', headers: {}, of: 'nothing' },
  { text: '{"kind":"CronJobList","metadata":{},"items":[{"met', headers: JSON_TYPE, of: 'half an answer' },
  { text: '{}', headers: JSON_TYPE, of: 'JSON of others' },
  { text: '[]', headers: JSON_TYPE, of: 'a list' },
  { text: '<html>', headers: { ...HTML, location: 'https://login/?a' }, code: 302, of: 'a redirect' },
  { text: '<html>\n</html>', headers: HTML, code: 502, of: 'a page of a proxy' },
])(
  'reports $of instead of an API server response in one sentence with the URL',
  async ({ text, headers, code = 200 }) => {
    await using server = await FakeApiServer.start();
    for (const line of ['list', 'next', 'run a', 'why a', 'logs a', 'import a', 'suspend a']) {
      const terminal = new CapturedTerminal('', { width: 80, hasColors: true });
      for (let times = 0; times < 5; times++) server.fail({}, { kind: 'text', code, text, headers });
      expect(await runTcj(server, line.split(' '), { terminal })).toBe(1);
      expect(terminal.texts.out).toBe('');
      expect(terminal.texts.err).toMatch(
        /^kubectl tcj \w+: (?:the API server: )?GET http:\/\/127\.0\.0\.1:\d+\/apis\/\S+ returned \d+ [^\n<]+\n$/,
      );
    }
  },
);

test.each([
  [['list'], cronJobs, '{"spec":{}}', 'metadata is missing'],
  [['logs', 'hello'], core.v1.pods, '{"spec":{"containers":[]}}', 'metadata is missing'],
  [['next'], cronJobs, '{"metadata":{"name":"x"}},5', 'it must be an object'],
  [['import', '--all'], batch.v1.cronJobs, '{"metadata":{"name":7}}', 'metadata.name must be a valid name'],
] as const)('%j names a malformed object in a list of the server', async (args, resource, items, fault) => {
  await using server = await FakeApiServer.start();
  const recentRuns = ['2026-01-01T00:00:00Z Running hello-1767225600 Schedule'];
  server.put(CronJob, cronJob({}, { recentRuns }));
  const text = `{"kind":"List","metadata":{},"items":[${items}]}`;
  server.fail({ verb: 'list', resource }, { kind: 'text', code: 200, text, headers: JSON_TYPE });
  const terminal = new CapturedTerminal();
  expect(await runTcj(server, args, { terminal })).toBe(1);
  expect(terminal.texts.err).toMatch(
    /: GET http:\S+ returned 200 OK with JSON that is not a Kubernetes object: items\[\d\]: /,
  );
  expect(terminal.texts.err).toContain(`]: ${fault}; `);
});

test('names a proxy that requires credentials, without the sent credentials', async () => {
  await using proxy = await TunnelProxy.start({ username: 'me', password: 'right' });
  const cluster = { server: 'https://kubernetes.example', 'proxy-url': `http://me:wrong@${proxy.url.host}` };
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  const context = { name: 'a', context: { cluster: 'a', user: '' } };
  const config = { clusters: [{ name: 'a', cluster }], contexts: [context], 'current-context': 'a' };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const [terminal, clock] = [new CapturedTerminal(), new SystemClock()];
  const surroundings = { connect: () => connect({ kubeconfig }, 'test'), clock, now: clock.now(), terminal };
  expect(await runCommand(['list'], { ...surroundings, signal: new AbortController().signal })).toBe(1);
  expect(terminal.texts.err).toBe(
    `kubectl tcj list: the proxy ${proxy.url.host} responded to CONNECT kubernetes.example:443 with 407 Proxy Authentication Required; ` +
      'set a username and a password that the proxy accepts in proxy-url in the kubeconfig\n',
  );
});

test('ignores an empty value of a flag that selects the cluster, the user or the namespace, as kubectl does', async () => {
  await using server = await FakeApiServer.start();
  const file = join(createTemporaryFolder(), 'kubeconfig');
  const context = { name: 'a', context: { cluster: 'a', user: 'a', namespace: 'team' } };
  const clusters = [{ name: 'a', cluster: { server: server.url.href } }];
  const users = [{ name: 'a', user: { as: 'jane' } }];
  writeFileSync(file, JSON.stringify({ clusters, users, contexts: [context], 'current-context': 'a' }));
  const [terminal, clock] = [new CapturedTerminal(), new SystemClock()];
  const surroundings = {
    connect: (options: SessionOptions) => connect({ ...options, kubeconfig: file }, 'test'),
    clock,
    now: clock.now(),
    terminal,
  };
  const args = ['list', '-n', '', '--as', '', '--context', '', '--kubeconfig', ''];
  expect(await runCommand(args, { ...surroundings, signal: new AbortController().signal })).toBe(0);
  const [request] = server.requests;
  expect(request).toMatchObject({ namespace: 'team', headers: { 'impersonate-user': 'jane' } });
});

test.each([
  ['command', [HOSTILE]],
  ['argument', ['why', HOSTILE]],
  ['flag', ['why', 'a', `--${HOSTILE}`]],
  ['value', ['next', '--within', HOSTILE]],
])('a %s of the command line does not control the terminal', async (_, args) => {
  await using server = await FakeApiServer.start();
  const terminal = new CapturedTerminal();
  expect(await runTcj(server, args, { terminal })).toBeGreaterThan(0);
  expect(terminal.texts.err).toMatch(/^[\n\x20-\x7e]+$/);
});
