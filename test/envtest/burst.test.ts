/** The requests of a burst to the API server. Counts them; `make bench` measures times. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { countEvents } from '../support/count-events.ts';
import type { LoggedRequest } from '../support/request-log-transport.ts';
import { Scene } from '../support/scene.ts';

const NAMESPACES = 3;
const CRON_JOBS_EACH = 20;
const RUNS = NAMESPACES * CRON_JOBS_EACH;
/** Far fewer than the runs, so that this limit is the bound. */
const MAX_IN_FLIGHT = 8;
const NAMES = Array.from({ length: CRON_JOBS_EACH }, (_, index) => `hello-${index}`);

/** Counts the unanswered writes that this process has sent, without watches and reads. */
class WritesInFlight implements Disposable {
  /** The maximum at one time. */
  max = 0;
  readonly #inFlight = new Set<object>();

  constructor() {
    subscribe('undici:client:sendHeaders', this.#onSent);
    subscribe('undici:request:trailers', this.#onEnded);
    subscribe('undici:request:error', this.#onEnded);
  }

  [Symbol.dispose](): void {
    unsubscribe('undici:client:sendHeaders', this.#onSent);
    unsubscribe('undici:request:trailers', this.#onEnded);
    unsubscribe('undici:request:error', this.#onEnded);
  }

  readonly #onSent = (message: unknown) => {
    const { request } = message as { readonly request: { readonly method: string } }; // type of the message in undici's documentation
    if (request.method === 'GET') return;
    this.#inFlight.add(request);
    this.max = Math.max(this.max, this.#inFlight.size);
  };

  readonly #onEnded = (message: unknown) => {
    this.#inFlight.delete((message as { readonly request: object }).request);
  };
}

/** Number of requests for each path. */
function countByPath(requests: readonly LoggedRequest[]): readonly number[] {
  return [...Map.groupBy(requests, ({ path }) => path).values()].map(({ length }) => length);
}

describe(`${RUNS} CronJobs of ${NAMESPACES} namespaces that are due at the same time`, () => {
  test('need one create, at most two status writes and one event each, few GETs of Jobs, and at most the requests in flight of the flag', async () => {
    const clock = new FakeClock(new Date());
    await using first = await Scene.open({ clock });
    await using second = await Scene.open({ clock });
    await using third = await Scene.open({ clock });
    const scenes = [first, second, third];
    // Far enough in the future that no slot comes while a busy machine creates them.
    const due = new Date(first.nextMinute.getTime() + 10 * 60_000);
    const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
    for (const scene of scenes) await Promise.all(NAMES.map((name) => scene.createCronJob({ schedule }, name)));
    const alsoIn = [second.namespace, third.namespace];
    const manager = await first.startManager({ alsoIn, maxInFlight: MAX_IN_FLIGHT });
    const statuses = async (scene: Scene) =>
      (await scene.client.list(cronJobs, { namespace: scene.namespace })).map(({ status }) => status ?? {});
    await first.eventually(async () => {
      const all = (await Promise.all(scenes.map(statuses))).flat();
      expect(all.filter(({ observedGeneration }) => observedGeneration === 1)).toHaveLength(RUNS);
    });

    const before = manager.requests().length;
    using inFlight = new WritesInFlight();
    const slot = formatTime(due);
    await clock.advance(due.getTime() + 1000 - clock.now().getTime());
    await first.eventually(async () => {
      const all = (await Promise.all(scenes.map(statuses))).flat();
      expect(all.filter(({ lastScheduleTime }) => lastScheduleTime === slot)).toHaveLength(RUNS);
      const events = await Promise.all(scenes.map(({ client, namespace }) => countEvents(client, namespace)));
      expect(events.map((counts) => counts['SuccessfulCreate'])).toEqual(scenes.map(() => CRON_JOBS_EACH));
    });
    const { max: most } = inFlight;
    // Its reconcile comes after the reconciles that the new Jobs and statuses caused.
    await first.createCronJob({ suspend: true }, 'witness');
    await first.waitUntilObserved('witness');

    const requests = manager
      .requests()
      .slice(before)
      .filter(({ path }) => !path.includes('witness'));
    const countRequests = (method: LoggedRequest['method'], path: RegExp) =>
      requests.filter((each) => each.method === method && path.test(each.path));
    expect((await Promise.all(scenes.map((scene) => scene.jobs()))).flat()).toHaveLength(RUNS);
    expect(countRequests('POST', /\/jobs$/)).toHaveLength(RUNS);
    // Reads happen for a Job whose watch event comes after the next reconcile. The load of the machine decides for which Jobs.
    expect(countRequests('GET', /\/jobs/).length).toBeLessThan(RUNS / 4);
    const statusWrites = countByPath(countRequests('PUT', /\/cronjobs\/[^/]+\/status$/));
    expect(statusWrites).toHaveLength(RUNS);
    expect(Math.max(...statusWrites)).toBeLessThanOrEqual(2);
    expect([...countRequests('POST', /\/events$/), ...countRequests('PATCH', /\/events\//)].length).toBeLessThanOrEqual(
      RUNS,
    );
    expect(requests.filter(({ isRefused }) => isRefused)).toEqual([]);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(MAX_IN_FLIGHT);
  });
});
