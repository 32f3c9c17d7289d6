import { expect, test, vi } from 'vitest';
import { eventually } from './eventually.ts';
import { RecordingLogger } from './recording-logger.ts';

test('returns the result of the assertion once it stops throwing', async () => {
  let tries = 0;
  const third = () => {
    tries += 1;
    expect(tries).toBe(3);
    return `try ${tries}`;
  };
  await expect(eventually(third, { intervalMs: 0 })).resolves.toBe('try 3');
});

test('fails with the last error after the timeout', async () => {
  const never = () => expect('Pending').toBe('Complete');
  await expect(eventually(never, { timeoutMs: 0 })).rejects.toThrow(
    /still failing after 0 s: expected 'Pending' to be 'Complete'/,
  );
});

test('writes the last error to stderr once, with the limit and the errors of the log', async () => {
  const log = new RecordingLogger();
  for (const number of [1, 2, 3, 4]) log.error('reconcile failed, will retry', new Error(`failure ${number}`));
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    let tries = 0;
    await eventually(() => expect(++tries).toBe(4), { intervalMs: 0, noticeAfterMs: 0, log });
    const [first, ...others] = write.mock.calls.map(([text]) => text);
    expect(first).toMatch(/^still failing after 0 s, retrying until 120 s: expected 1 to be 4/);
    expect(first).toMatch(/(\n {2}logged: reconcile failed, will retry: Error: failure [234]){3}\n$/);
    expect(others).toEqual([]);
  } finally {
    write.mockRestore();
  }
});

test('fails with the errors of the log', async () => {
  const log = new RecordingLogger();
  log.error('reconcile failed, will retry', new Error('the volume is full'));
  await expect(eventually(() => expect(1).toBe(2), { timeoutMs: 0, log })).rejects.toThrow(
    /^still failing after 0 s: expected 1 to be 2(.|\n)*\n {2}logged: reconcile failed, will retry: Error: the volume is full$/,
  );
});
