/** An API server that is out of reach for long, and then is not. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Scene } from '../support/scene.ts';
import { TcpRelay } from '../support/tcp-relay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OUTAGE_MINUTES = 25;

/** The way to the API server, which can be shut. */
async function shuttableWay() {
  const kubeconfig = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  const server = new URL(cluster.server);
  const upstream = Number(server.port);
  let isShut = false;
  let refused = 0;
  const relay = await TcpRelay.to(async () => {
    if (isShut) refused++;
    return isShut ? undefined : upstream;
  });
  server.port = String(relay.port);
  cluster.server = server.href.replace(/\/$/, '');
  const file = join(temporaryFolder(), 'kubeconfig');
  writeFileSync(file, stringify(kubeconfig));
  return {
    kubeconfig: file,
    refused: () => refused,
    shut: async () => {
      isShut = true;
      await relay.cut();
    },
    open: () => {
      isShut = false;
    },
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}

test('passes that throw during an outage leave the next slot armed: its Job comes at the slot', async () => {
  await using way = await shuttableWay();
  await using scene = await Scene.open();
  const manager = await scene.startManager({ kubeconfig: way.kubeconfig });
  await scene.createCronJob();
  await scene.observed();
  await way.shut();
  // The first pass can write no status. The ones after it must read what is stored, and throw when nobody answers.
  for (let minute = 0; minute < OUTAGE_MINUTES; minute++) {
    const before = way.refused();
    await scene.passNextMinute();
    await eventually(() => expect(way.refused()).toBeGreaterThan(before)); // the watches, at least, try again
  }
  expect(manager.requests('GET', /\/cronjobs\/hello$/).map(({ outcome }) => outcome)).toContain('failed');
  way.open();
  const slot = await scene.passNextMinute();
  await scene.eventually(async () => {
    const names = (await scene.jobs()).map(({ metadata }) => metadata.name);
    expect(names).toContain(`hello-${Date.parse(slot) / 1000}`);
  });
});
