/** An API server that is out of reach for long, and then is not. */
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { shuttableWay } from '../support/shuttable-way.ts';

const OUTAGE_MINUTES = 25;

test('passes that throw during an outage leave the next slot armed: its Job comes at the slot', async () => {
  await using way = await shuttableWay(inject('kubeconfig'));
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
