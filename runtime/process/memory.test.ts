import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Replaces a hundred thousand objects repeatedly, like a busy operator. Prints the peak heap size in MiB. */
const BUSY = `
  import { getHeapStatistics } from 'node:v8';
  const objects = [];
  let peak = 0;
  for (let count = 0; count < 3_000_000; count++) {
    objects[count % 100_000] = { count, list: [count] };
    if (count % 10_000 === 0) peak = Math.max(peak, getHeapStatistics().total_heap_size);
  }
  console.log(Math.round(peak / 1024 / 1024));
`;

async function printedNumber(code: string): Promise<number> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toBe(''); // V8 reports unknown flags there
  return Number(stdout);
}

test('a busy heap stays near the memory in use', async () => {
  const usual = await printedNumber(BUSY);
  expect(await printedNumber(`import 'controller-runtime/small-memory'; ${BUSY}`)).toBeLessThan(usual * 0.6);
});

/** Compiles functions, and waits for fifteen full garbage collections. Prints how much of the bytecode is left, in percent. */
const COMPILED = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { getHeapCodeStatistics } from 'node:v8';
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  });
  observer.observe({ entryTypes: ['gc'] });
  const bytes = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const code = 'let sum = 0; for (let i = 0; i < n; i++) sum += i * n; return [sum, n + 1].length';
  const functions = Array.from({ length: 3000 }, (_, index) => new Function('n', code + ' + ' + index));
  for (const each of functions) each(1);
  const compiled = bytes();
  let objects = [];
  while (collections < 15) {
    objects = Array.from({ length: 300_000 }, (_, index) => ({ index, list: [index] }));
    await setImmediate();
  }
  console.log(Math.round((100 * bytes()) / compiled));
`;

test('V8 keeps functions compiled until the next burst', async () => {
  expect(await printedNumber(COMPILED)).toBeLessThan(10);
  expect(await printedNumber(`import 'controller-runtime/small-memory'; ${COMPILED}`)).toBeGreaterThan(25);
});

test('V8 sees that a process is quiet, and returns unused memory', async () => {
  const code = `import 'controller-runtime/small-memory'; ${BUSY} setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--trace-memory-reducer', '--input-type=module', '--eval', code]);
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.includes('started GC')) break;
  }
  child.kill();
  // A process that V8 takes for a busy one also gets this garbage collection, after 100 s and more.
  expect(lines.at(-2)).toContain('low alloc');
});
