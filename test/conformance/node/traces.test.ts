import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { provision } from '../../../hack/control-plane/provision.ts';
import { NODE_BINARIES } from '../../../hack/control-plane/versions.ts';
import { machineState } from '../../e2e/support/machine-state.ts';
import { ownHierarchies } from '../../real-node/cgroups.ts';
import { RealNode } from '../../real-node/real-node.ts';

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'node-traces-'));
}

/** What one node has left on the machine. */
function findTraces(folder: string) {
  const name = basename(folder);
  return {
    folder: existsSync(folder),
    cgroups: ownHierarchies().flatMap((hierarchy) => globSync(join(hierarchy.folder, `${name}-*`))),
    processes: globSync('/proc/[0-9]*/cmdline').filter((file) => mentionsFolder(name, file)),
  };
}

function mentionsFolder(name: string, commandLine: string): boolean {
  try {
    return readFileSync(commandLine, 'utf8').includes(name);
  } catch {
    return false; // it ended meanwhile
  }
}

/** Whether a server accepts connections at an address such as https://127.0.0.1:6443. */
async function isOpen(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const NO_TRACES = { folder: false, cgroups: [], processes: [] };

test('a killed node leaves no folder, control group or process', async () => {
  const folder = createFolder();
  const script = `
    const { RealNode } = await import(${JSON.stringify(resolve('test/real-node/real-node.ts'))});
    const { apiServer } = await RealNode.start({ folder: ${JSON.stringify(folder)}, binaries: ${JSON.stringify(await provision(NODE_BINARIES))} });
    console.log(apiServer.server);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    owner.kill('SIGKILL'); // if an assertion fails before the kill below
  });
  const [address] = await once(createInterface(owner.stdout), 'line');
  expect(await isOpen(address)).toBe(true);
  expect(findTraces(folder)).toEqual({
    folder: true,
    cgroups: expect.arrayContaining([expect.stringContaining('/memory/')]),
    processes: expect.arrayContaining([expect.any(String)]),
  });
  expect(machineState()).toEqual(inject('machineBefore'));
  owner.kill('SIGKILL');
  await eventually(() => expect(findTraces(folder)).toEqual(NO_TRACES));
  expect(await isOpen(address)).toBe(false);
  expect(machineState()).toEqual(inject('machineBefore'));
});

test('an aborted start leaves no trace', async () => {
  const folder = createFolder();
  const controller = new AbortController();
  const starting = RealNode.start({ folder, binaries: await provision(NODE_BINARIES), signal: controller.signal });
  const failed = expect(starting).rejects.toThrow('aborted');
  await eventually(() => expect(existsSync(join(folder, 'log/containerd.log'))).toBe(true));
  controller.abort();
  await failed;
  expect(findTraces(folder)).toEqual(NO_TRACES);
  expect(machineState()).toEqual(inject('machineBefore'));
});

test('a stopped node leaves no trace', async () => {
  const folder = createFolder();
  const node = await RealNode.start({ folder, binaries: await provision(NODE_BINARIES) });
  const { server } = node.apiServer;
  await node.stop();
  expect(findTraces(folder)).toEqual(NO_TRACES);
  expect(await isOpen(server)).toBe(false);
  expect(machineState()).toEqual(inject('machineBefore'));
});

test('refuses a folder that is not empty, and does not change it', async () => {
  const folder = createFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'diary'), '');
  const starting = RealNode.start({ folder, binaries: await provision(NODE_BINARIES) });
  await expect(starting).rejects.toThrow('must be empty');
  expect(existsSync(join(folder, 'diary'))).toBe(true);
});
