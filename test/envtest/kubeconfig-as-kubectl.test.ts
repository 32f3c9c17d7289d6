/** kubectl tcj reads kubeconfigs as kubectl does: both send requests to the same server as the same user, or neither sends a request. */
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from 'controller-runtime';
import { afterAll, expect, inject, test } from 'vitest';
import { connect } from '../../kubectl-tcj/plugin/cluster-session.ts';
import { formatError } from '../../kubectl-tcj/plugin/error-message.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import type { KubeConfigCase } from './support/kubeconfig-cases/builders.ts';
import { createKubeConfigCases } from './support/kubeconfig-cases.ts';
import { type Probe, ProbeServers } from './support/probe-servers.ts';

const servers = await ProbeServers.start();
afterAll(() => servers[Symbol.asyncDispose]());

const cases = createKubeConfigCases({ ...servers.urls, ca: servers.ca });
const PATH = '/probe';
/** kubectl prompts for a username where a kubeconfig does not have credentials. kubectl tcj sends the request without credentials. */
const PROMPTS_FOR_NAME = /^error: EOF$/m;

/** The result of a program: its requests, or its output. */
interface ProbeOutcome {
  readonly probes: readonly Probe[];
  readonly message: string;
}

test.each(Object.entries(cases))('with %s', async (_, kubeConfigCase) => {
  const folder = writeFiles(kubeConfigCase);
  const kubectl = await probeWithKubectl(kubeConfigCase, folder);
  const tcj = await probeWithTcj(kubeConfigCase, folder);
  if (PROMPTS_FOR_NAME.test(kubectl.message)) {
    expect(tcj.probes.map(({ headers }) => headers)).toEqual([[]]);
    return;
  }
  expect(toComparable(tcj), `kubectl: ${kubectl.message}\ntcj: ${tcj.message}`).toEqual(toComparable(kubectl));
  if (tcj.probes.length > 0) return;
  expect(tcj.message).not.toMatch(/the manager|undefined|internal error/);
  // A network error must not appear where kubectl reports no such error.
  if (!kubectl.message.includes('refused')) expect(tcj.message).not.toContain('check the network');
});

/** Input of an exec plugin is compared as JSON. */
function toComparable({ probes }: ProbeOutcome): unknown {
  return probes.map(({ headers, ...probe }) => ({
    ...probe,
    headers: headers.map((header) => {
      const credentials = Buffer.from(header.replace('authorization: Bearer ', ''), 'base64').toString();
      return credentials.startsWith('{') ? JSON.parse(credentials) : header;
    }),
  }));
}

function writeFiles({ files }: KubeConfigCase): string {
  const folder = createTemporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

function probeWithKubectl({ variable, context }: KubeConfigCase, folder: string): Promise<ProbeOutcome> {
  const flags = [
    ...(variable ? [] : ['--kubeconfig', join(folder, 'config')]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  const { PATH: path = '' } = process.env;
  const env = { PATH: path, HOME: folder, ...(variable && { KUBECONFIG: joinPaths(variable, folder) }) };
  return new Promise((resolve) => {
    const args = ['get', '--raw', PATH, '--request-timeout=10s', ...flags];
    const child = execFile(inject('kubectl'), args, { env, cwd: folder }, (_, __, stderr) =>
      resolve({ probes: servers.takeProbes(), message: stderr }),
    );
    child.stdin?.end();
  });
}

async function probeWithTcj({ variable, context }: KubeConfigCase, folder: string): Promise<ProbeOutcome> {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = variable ? joinPaths(variable, folder) : '';
  try {
    const kubeconfig = variable ? undefined : join(folder, 'config');
    const { transport, close } = connect({ kubeconfig, context }, 'test');
    try {
      await transport.request({ method: 'GET', path: PATH });
    } finally {
      await close();
    }
    return { probes: servers.takeProbes(), message: '' };
  } catch (error) {
    const message = formatError(error) ?? `not explained: ${error}`;
    expect(message).not.toMatch(/^not explained/);
    if (error instanceof ConfigurationError) expect(message).not.toContain('\n');
    return { probes: servers.takeProbes(), message };
  } finally {
    process.env['KUBECONFIG'] = before;
  }
}

function joinPaths(names: readonly string[], folder: string): string {
  return names.map((name) => name && join(folder, name)).join(delimiter);
}
