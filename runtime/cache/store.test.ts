import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatKey } from '../kubernetes/resource.ts';
import { racks, type Widget, widget } from '../test-support/objects.ts';
import { Store } from './store.ts';

const byColor = ({ spec }: Widget) => [spec.color];
const names = (objects: readonly Widget[]) => objects.map(({ metadata }) => metadata.name).sort();

test('stores cluster-scoped objects', () => {
  const store = new Store();
  const { namespace: _, ...metadata } = widget().metadata;
  store.upsert({ ...widget(), kind: racks.kind, metadata });
  expect([...store.keys()]).toEqual(['a']);
});

test('an index may have several values for an object, or none', () => {
  const store = new Store<Widget>();
  store.addIndex('label', ({ metadata }) => Object.keys(metadata.labels ?? {}));
  store.upsert(widget({ name: 'a', labels: { app: 'web', tier: 'front' } }));
  store.upsert(widget({ name: 'b', labels: { app: 'web' } }));
  store.upsert(widget({ name: 'c' }));
  expect([names(store.byIndex('label', 'app')), names(store.byIndex('label', 'tier'))]).toEqual([['a', 'b'], ['a']]);
});

test('throws for an unknown index, with the fix', () => {
  expect(() => new Store().byIndex('color', 'red')).toThrow('no field index "color"; add it with cache.indexField');
});

test('throws when an index is added twice', () => {
  const store = new Store<Widget>();
  store.addIndex('color', byColor);
  expect(() => store.addIndex('color', byColor)).toThrow('field index "color" exists already');
});

const COLORS = ['red', 'green', 'blue'];

const aWidget = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('x', 'y'),
    color: fc.constantFrom(...COLORS),
  })
  .map(({ color, ...metadata }) => widget(metadata, { color }));

const steps = fc.array(fc.record({ kind: fc.constantFrom('upsert', 'upsert', 'remove', 'addIndex'), object: aWidget }));

test('equals a plain map after every step', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const store = new Store<Widget>();
      store.addIndex('color', byColor);
      const plain = new Map<string, Widget>();
      const indexes = ['color'];
      for (const { kind, object } of steps) {
        const key = formatKey(object);
        const before = plain.get(key);
        if (kind === 'upsert') {
          plain.set(key, object);
          expect(store.upsert(object)).toBe(before);
        } else if (kind === 'remove') {
          plain.delete(key);
          expect(store.remove(key)).toBe(before);
        } else {
          store.addIndex(`color ${indexes.length}`, byColor);
          indexes.push(`color ${indexes.length}`);
        }
        expectSame(store, plain, indexes);
      }
    }),
  );
});

function expectSame(store: Store<Widget>, plain: ReadonlyMap<string, Widget>, indexes: readonly string[]): void {
  const all = [...plain.values()];
  expect(store.size).toBe(plain.size);
  expect(new Set(store.list())).toEqual(new Set(all));
  expect(new Set(store.keys())).toEqual(new Set(plain.keys()));
  for (const name of indexes) {
    for (const color of COLORS) {
      const found = store.byIndex(name, color);
      const expected = all.filter(({ spec }) => spec.color === color);
      expect(found).toHaveLength(expected.length);
      expect(new Set(found)).toEqual(new Set(expected));
    }
  }
}

test('removes all values of an object whose index function fails later', () => {
  const failures: string[] = [];
  let isBroken = false;
  const store = new Store<Widget>((error, { index, object }) => failures.push(`${index} ${object} ${error}`));
  store.addIndex('color', ({ spec }) => {
    if (isBroken) throw new Error('no');
    return [spec.color];
  });
  store.upsert(widget({ name: 'a' }));
  store.upsert(widget({ name: 'b' }));
  isBroken = true;
  store.upsert(widget({ name: 'a' }, { color: 'blue' }));
  store.remove('default/b');
  expect(store.byIndex('color', 'red')).toEqual([]);
  expect([store.size, failures]).toEqual([1, ['color default/a Error: no']]);
});
