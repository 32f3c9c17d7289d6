import { expect, test } from 'vitest';
import { formatted } from './output.ts';

test('YAML has no anchors where a value stands twice', () => {
  const time = new Date('2026-01-01T00:00:00Z');
  expect(formatted([{ scheduledTime: time, createdTime: time }], 'yaml')).toBe(
    '- scheduledTime: 2026-01-01T00:00:00.000Z\n  createdTime: 2026-01-01T00:00:00.000Z\n',
  );
});
