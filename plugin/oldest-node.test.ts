import { expect, test } from 'vitest';
import { nodeFault, OLDEST_NODE } from './oldest-node.ts';

test.each(['22.19.0', '22.20.1', '24.0.0', '24.0.0-nightly2025'])('%s is new enough', (version) => {
  expect(nodeFault(version)).toBeUndefined();
});

test.each(['20.20.2', '22.18.9', '22.9.0', '8.0.0'])('%s is too old, and that is said', (version) => {
  expect(nodeFault(version)).toMatch(`needs Node ${OLDEST_NODE} or newer, this is ${version}: `);
});
