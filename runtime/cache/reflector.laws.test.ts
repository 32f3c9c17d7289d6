import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BLOCKING_MS } from '../clock/yielding-loop.ts';
import { formatKey } from '../kubernetes/resource.ts';
import { discardLogger } from '../log/logger.ts';
import { type Job, job, jobs } from '../test-support/objects.ts';
import { connectTo, jobKey } from '../test-support/reflector-harness.ts';
import { tickingClock } from '../test-support/ticking-clock.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Informer } from './informer.ts';

describe('any mix of changes and faults', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const liveFault = fc.record({
    kind: fc.constantFrom('close', 'reset', 'expire', 'fail', 'halfLine', 'garbage', 'silence'),
    afterEvents: fc.nat(3),
  });
  const answerFault = fc.oneof(
    fc.constantFrom({ kind: 'drop' as const }, { kind: 'cutAnswer' as const }),
    fc.record({ kind: fc.constant('error' as const), code: fc.constantFrom(410, 429, 500, 503) }),
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name: names, parallelism: fc.nat(9) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('break' as const), fault: liveFault }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('failWatch' as const), fault: fc.oneof(liveFault, answerFault) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('failList' as const), fault: answerFault }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('compact', 'bookmark', 'drop', 'restart', 'upgrade') }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 300, 2000, 40_000) }),
    },
  );

  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  async function take(server: FakeApiServer, clock: FakeClock, step: Step): Promise<void> {
    switch (step.do) {
      case 'put':
        server.put(jobs, job(step.name, step.parallelism));
        break;
      case 'remove':
        if (server.get(jobs, jobKey(step.name))) server.remove(jobs, jobKey(step.name));
        break;
      case 'break':
        server.breakWatches(step.fault);
        break;
      case 'failWatch':
        server.fail({ verb: 'watch' }, step.fault);
        break;
      case 'failList':
        server.fail({ verb: 'list' }, step.fault);
        break;
      case 'wait':
        for (let turn = 0; turn < 3; turn++) await fetch(new URL('/livez', server.url)).catch(() => {});
        await clock.advance(step.ms);
        break;
      case 'compact':
        server.compact();
        break;
      case 'bookmark':
        server.bookmark();
        break;
      case 'drop':
        server.dropConnections();
        break;
      case 'restart':
        await server.goDown();
        await server.comeBack();
        break;
      case 'upgrade':
        server.watchList = !server.watchList;
        break;
    }
  }

  /**
   * Handlers get a consistent sequence: they never get an object as added twice, or as changed or deleted before it was
   * added.
   */
  function follow(informer: Informer<Job>): Map<string, Job> {
    const notified = new Map<string, Job>();
    informer.addEventHandler({
      onAdd: (object) => {
        expect(notified.has(formatKey(object))).toBe(false);
        notified.set(formatKey(object), object);
      },
      onUpdate: (old, object) => {
        expect(notified.get(formatKey(object))).toBe(old);
        notified.set(formatKey(object), object);
      },
      onDelete: (object) => {
        expect(notified.get(formatKey(object))).toBe(object);
        notified.delete(formatKey(object));
      },
    });
    return notified;
  }

  test('ends with informer, handlers and server in sync', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      async (steps, isSlow) => {
        await using server = await FakeApiServer.start();
        const clock = new FakeClock();
        const transport = connectTo(server, clock);
        const stop = new AbortController();
        const faults: unknown[] = [];
        const log = { ...discardLogger, error: (_: string, error: unknown) => void faults.push(error) };
        // A slow reader yields to the event loop after every object.
        const own = isSlow ? tickingClock(MAX_BLOCKING_MS, clock) : clock;
        const informer = new Informer<Job>({ resource: jobs, transport, clock: own, log });
        const notified = follow(informer);
        const ended = informer.run(stop.signal);
        for (const one of steps) await take(server, clock, one);
        server.clearFaults();
        server.put(jobs, job('after-all'));
        await eventually(
          async () => {
            await clock.advance(5000);
            const stored = informer.store.list().sort((a, b) => (formatKey(a) < formatKey(b) ? -1 : 1));
            expect(stored).toEqual(server.list(jobs));
          },
          { intervalMs: 1 },
        );
        expect(new Map(informer.store.list().map((object) => [formatKey(object), object]))).toEqual(notified);
        expect(faults).toEqual([]);
        stop.abort();
        await ended;
        await transport.close();
      },
    );
    await fc.assert(property, { numRuns: 20 }); // prints its seed on failure
  });
});
