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

async function peakMiB(firstLine: string): Promise<number> {
  const args = ['--input-type=module', '--eval', firstLine + BUSY];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toBe(''); // V8 reports unknown flags there
  return Number(stdout);
}

test('a busy heap stays near the memory in use', async () => {
  const usual = await peakMiB('');
  expect(await peakMiB("import 'controller-runtime/small-memory';")).toBeLessThan(usual * 0.6);
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
