import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

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
