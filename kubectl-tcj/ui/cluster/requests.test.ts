import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchCreators } from './requests.ts';

test('a Job with the name of a property of every object has no creator', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ 'hello-1': 'alice' }));
  onTestFinished(() => fetched.mockRestore());
  const creators = await fetchCreators('default/hello');
  expect(['hello-1', 'constructor'].map((jobName) => creators.get(jobName))).toEqual(['alice', undefined]);
});
