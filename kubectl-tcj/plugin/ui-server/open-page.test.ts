import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { UiClient } from '../../../test/support/ui.ts';
import type { CronJobFeed, FeedSubscriber } from './cron-job-feed.ts';
import { EventStream } from './event-stream.ts';
import { BATCH_INTERVAL_MS, streamChanges } from './open-page.ts';
import type { PageCronJob } from './page-messages.ts';

/** With the label 100 MB, more than the buffers between two processes hold. */
const MANY = 500;
const LABEL = 'x'.repeat(100_000);

function cronJob(uid: string, generation: number): PageCronJob {
  const metadata = { namespace: 'default', name: uid, uid, generation, creationTimestamp: '', labels: { a: LABEL } };
  return { apiVersion: '', kind: '', metadata, spec: {} as PageCronJob['spec'] };
}

/** A page whose changes the test controls. */
async function openPage() {
  const clock = new FakeClock(new Date(0));
  const ending = new AbortController();
  const { promise: joined, resolve: join } = Promise.withResolvers<FeedSubscriber>();
  let hasLeft = false;
  const feed: Pick<CronJobFeed, 'subscribe'> = {
    subscribe: (reader) => {
      join(reader);
      return () => {
        hasLeft = true;
      };
    },
  };
  const server = createServer((_request, response) => {
    void streamChanges(feed, new EventStream(response, clock, ending.signal), clock);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const events = await new UiClient((server.address() as AddressInfo).port).events('/');
  return {
    events,
    clock,
    /** Waits until the changes would be sent. */
    gather: async () => {
      await clock.advance(BATCH_INTERVAL_MS);
      await new Promise((resolve) => setImmediate(resolve));
    },
    reader: await joined,
    hasLeft: () => hasLeft,
    [Symbol.asyncDispose]: async () => {
      await events[Symbol.asyncDispose]();
      ending.abort();
      server.close();
    },
  };
}

test('sends a slow client only the newest version of each CronJob', async () => {
  await using page = await openPage();
  const { events, reader, gather } = page;
  await eventually(() => expect(events.received).toHaveLength(1));
  events.pause();
  for (let generation = 1; generation <= MANY; generation++) {
    reader.onChange(cronJob('a', generation));
    reader.onChange(cronJob('b', generation));
    await gather();
  }
  reader.onDelete('b');
  reader.onWatchState({ kind: 'Live' });
  events.resume();
  await eventually(async () => {
    await gather();
    expect(events.watch).toEqual({ kind: 'Live' });
  });
  expect(events.listShownCronJobs).toEqual(['a']);
  const generations = events.received
    .flatMap(({ data }) => data.changed ?? [])
    .map(({ metadata }) => metadata.generation);
  expect(generations.at(-1)).toBe(MANY);
  expect(generations.length).toBeLessThan(MANY);
});

test('sends changes within a tenth of a second together', async () => {
  await using page = await openPage();
  const { events, reader, clock, gather } = page;
  await eventually(() => expect(events.received).toHaveLength(1));
  for (let generation = 1; generation <= 5; generation++) {
    reader.onChange(cronJob('a', generation));
    await clock.advance(BATCH_INTERVAL_MS / 10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(async () => {
    await gather();
    expect(events.listShownCronJobs).toEqual(['a']);
  });
  expect(events.received).toHaveLength(2);
  expect(events.received[1]?.data.changed[0].metadata.generation).toBe(5);
});

test('sends nothing to a closed page', async () => {
  await using page = await openPage();
  await page.events[Symbol.asyncDispose]();
  await eventually(() => expect(page.hasLeft()).toBe(true));
});
