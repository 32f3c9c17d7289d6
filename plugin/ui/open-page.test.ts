import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { UiClient } from '../../test/support/ui.ts';
import type { CronJobFeed, FeedReader } from './cron-job-feed.ts';
import { EventStream } from './event-stream.ts';
import type { PageCronJob } from './messages.ts';
import { tellPage } from './open-page.ts';

const clock = new SystemClock();
/** More than what lies between two processes holds. */
const MANY = 2000;
const LABEL = 'x'.repeat(50_000);

function cronJob(uid: string, generation: number): PageCronJob {
  const metadata = { namespace: 'default', name: uid, uid, generation, creationTimestamp: '', labels: { a: LABEL } };
  return { apiVersion: '', kind: '', metadata, spec: {} as PageCronJob['spec'] };
}

/** A page whose changes the test makes. */
async function openPage() {
  const ending = new AbortController();
  const { promise: joined, resolve: join } = Promise.withResolvers<FeedReader>();
  let hasLeft = false;
  const feed: Pick<CronJobFeed, 'join'> = {
    join: (reader) => {
      join(reader);
      return () => {
        hasLeft = true;
      };
    },
  };
  const server = createServer((_request, response) => {
    void tellPage(feed, new EventStream(response, clock, ending.signal), clock);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const events = await new UiClient((server.address() as AddressInfo).port).events('/');
  return {
    events,
    reader: await joined,
    hasLeft: () => hasLeft,
    [Symbol.asyncDispose]: async () => {
      await events[Symbol.asyncDispose]();
      ending.abort();
      server.close();
    },
  };
}

test('who reads slowly gets the newest of each, and in the end what there is', async () => {
  await using page = await openPage();
  const { events, reader } = page;
  events.pause();
  for (let generation = 1; generation <= MANY; generation++) {
    reader.changed(cronJob('a', generation));
    reader.changed(cronJob('b', generation));
    // Each is sent by itself where it can be.
    if (generation % 10 === 0) await new Promise((resolve) => clock.schedule(0, () => resolve(undefined)));
  }
  reader.deleted('b');
  reader.watch({ kind: 'Live' });
  events.resume();
  await eventually(() => expect(events.watch).toEqual({ kind: 'Live' }));
  expect(events.shown).toEqual(['a']);
  const generations = events.seen.flatMap(({ data }) => data.changed ?? []).map(({ metadata }) => metadata.generation);
  expect(generations.at(-1)).toBe(MANY);
  expect(generations.length).toBeLessThan(MANY);
});

test('changes that come together are sent together', async () => {
  await using page = await openPage();
  const { events, reader } = page;
  await eventually(() => expect(events.seen).toHaveLength(1));
  for (let generation = 1; generation <= 5; generation++) reader.changed(cronJob('a', generation));
  await eventually(() => expect(events.shown).toEqual(['a']));
  expect(events.seen).toHaveLength(2);
  expect(events.seen[1]?.data.changed[0].metadata.generation).toBe(5);
});

test('a page that is closed is told nothing more', async () => {
  await using page = await openPage();
  await page.events[Symbol.asyncDispose]();
  await eventually(() => expect(page.hasLeft()).toBe(true));
});
