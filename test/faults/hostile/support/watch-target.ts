/** Watch events of any bytes, cut anywhere. */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Resource } from 'controller-runtime';
import fc from 'fast-check';
import { RUN_NOW_ANNOTATION, START_TIMEOUT_ANNOTATION } from '../../../../api/v1/groupversion.ts';
import { type cronJobs, jobs } from '../../../../controllers/resources.ts';
import { at, cronJob, jobOf } from '../../../support/cron-jobs.ts';
import { FedInformer, lineOf } from './fed-informer.ts';
import { anyValue, type Edit, edited, editsWith } from './json.ts';
import type { AsyncTarget } from './target.ts';

type Line =
  | { readonly kind: 'event'; readonly edits: readonly Edit[] }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

interface Input {
  readonly lines: readonly Line[];
  readonly hasLastNewline: boolean;
  /** Where chunks end, in parts of a thousand. */
  readonly cuts: readonly number[];
  /** Places that get another byte, in parts of a thousand. */
  readonly flips: readonly (readonly [place: number, byte: number])[];
}

const GARBAGE = [
  ...['null', '5', '"x"', '[]', '{}', '{"type":"ADDED"}', '{"type":"ADDED","object":null}', '{"type":"ERROR"}'],
  ...[
    '{"type":"ERROR","object":{"code":410}}',
    '{"type":"ERROR","object":{"code":422}}',
    '{"type":"ERROR","object":{}}',
  ],
  ...[
    '{"type":"ERROR","object":{"code":"x","details":{"retryAfterSeconds":1e300}}}',
    '{"type":"BOOKMARK","object":{}}',
  ],
  ...[
    '{"type":"ADDED","object":{"metadata":{}}}',
    '{"type":"MORE","object":{"metadata":{"name":"x"}}}',
    '\r',
    '\ufeff{}',
  ],
  ...['{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}', '{"type":'],
  ...['{"__proto__":{"type":"ADDED"}}', '{"type":"DELETED","object":{"metadata":{"name":"__proto__"}}}', ''],
  ...['{"type":"ADDED","object":{"metadata":{"name":"__proto__","namespace":"constructor","resourceVersion":"x"}}}'],
  `${'['.repeat(20_000)}`,
  `{"type":"ADDED","object":${'{"a":'.repeat(9_000)}0${'}'.repeat(9_000)}}`,
  `{"type":"ADDED","object":{"metadata":{"name":"${'x'.repeat(100_000)}"}}}`,
].map((text) => Buffer.from(text));

const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), edits: editsWith(anyValue, 4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bytes' as const), bytes: fc.constantFrom(...GARBAGE) }) },
  fc.record({ kind: fc.constant('bytes' as const), bytes: fc.uint8Array({ maxLength: 30 }) }),
);
const permille = fc.nat(999);

const inputs: fc.Arbitrary<Input> = fc.record({
  lines: fc.array(line, { maxLength: 4 }),
  hasLastNewline: fc.boolean(),
  cuts: fc.array(permille, { maxLength: 8 }),
  flips: fc.array(fc.tuple(permille, fc.nat(255)), { maxLength: 2 }),
});

const TEXT_OF_TWO_BYTES = 'éßñ'.repeat(40);

/** An object of the kind, and the event that hostile ones are made from. */
function objectsOf(resource: Resource): { readonly good: KubernetesObject; readonly event: string } {
  const good = resource.kind === jobs.kind ? jobOf(at('01:00:00')) : cronJob({ timeZone: 'Europe/Berlin' });
  const named = (name: string) => ({ ...good, metadata: { ...good.metadata, name, namespace: 'default' } });
  return { good: named('neighbour'), event: JSON.stringify({ type: 'MODIFIED', object: named('hostile') }) };
}

const NEIGHBOUR = 'default/neighbour';

export interface OpenTarget extends AsyncTarget<Input> {
  readonly close: () => Promise<void>;
}

/** @param resource One that the controller watches. */
export async function watchTarget(resource: typeof cronJobs | typeof jobs): Promise<OpenTarget> {
  const { good, event } = objectsOf(resource);
  const anyResource = resource as unknown as Resource<KubernetesObject>; // what is stored is looked at as any object
  const informer = new FedInformer(anyResource, { object: good, version: 'v0' });
  await informer.caughtUp();
  const expected = withoutVersion(informer.get(NEIGHBOUR));
  let count = 0;
  return {
    name: `watch events of ${resource.plural}`,
    inputs,
    check: async (input) => {
      const version = `v${++count}`;
      const bytes = Buffer.concat([lineOf('MODIFIED', markerOf(good, version)), bytesOf(event, input)]);
      await informer.feed(cutAt(bytes, input.cuts), { object: good, version });
      const kept = withoutVersion(informer.get(NEIGHBOUR));
      if (!isDeepStrictEqual(kept, expected)) throw new Error(`the neighbour is ${JSON.stringify(kept)}`);
      checkMarker(informer.told('default/marker'), version);
    },
    show: (input) => JSON.stringify(bytesOf(event, input).toString('latin1')),
    close: () => informer.stop(),
  };
}

/** A good object, ahead of the hostile bytes: it must arrive whatever follows, and wherever it is cut. */
function markerOf(good: KubernetesObject, resourceVersion: string): KubernetesObject {
  const annotations = { [RUN_NOW_ANNOTATION]: TEXT_OF_TWO_BYTES, [START_TIMEOUT_ANNOTATION]: TEXT_OF_TWO_BYTES };
  return { ...good, metadata: { ...good.metadata, name: 'marker', resourceVersion, annotations } };
}

function checkMarker(marker: KubernetesObject | undefined, version: string): void {
  if (marker?.metadata.resourceVersion !== version) throw new Error('an event ahead of the hostile bytes was lost');
  const texts = Object.values(marker.metadata.annotations ?? {});
  if (texts.length === 0 || texts.some((text) => text !== TEXT_OF_TWO_BYTES)) throw new Error(`it is ${texts.join()}`);
}

function withoutVersion(object: KubernetesObject | undefined): unknown {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(object));
  const { resourceVersion: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

function bytesOf(event: string, { lines, hasLastNewline, flips }: Input): Buffer {
  const texts = lines.map((each) => (each.kind === 'bytes' ? each.bytes : JSON.stringify(edited(event, each.edits))));
  const parts = texts.flatMap((text, index) => {
    const isLast = index === texts.length - 1;
    return [Buffer.from(text), Buffer.from(isLast && !hasLastNewline ? '' : '\n')];
  });
  const bytes = Buffer.concat(parts);
  for (const [place, byte] of flips) if (bytes.length > 0) bytes[placeIn(bytes, place)] = byte;
  return bytes;
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map((cut) => placeIn(bytes, cut)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

function placeIn(bytes: Uint8Array, permille: number): number {
  return Math.floor((bytes.length * permille) / 1000);
}
