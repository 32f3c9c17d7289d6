import { describe, expect, test } from 'vitest';
import { widget, widgets } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { ApiError } from './errors.ts';
import { LIST_PAGE_SIZE } from './list-pages.ts';
import { LiveClient } from './live-client.ts';

function scene(answer: () => unknown) {
  const transport = new RecordingTransport();
  transport.answer = answer;
  return { client: new LiveClient(transport, { fieldManager: 'tester' }), requests: transport.requests };
}

/** As it goes over the wire: without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('a list whose version the server has forgotten between two pages', () => {
  const page = (names: readonly string[], next = '') => ({
    metadata: { resourceVersion: '9', continue: next },
    items: names.map((name) => widget({ name })),
  });
  /** What the server does from the second page on, request by request. */
  const expiring = (...answers: readonly unknown[]) => {
    const left = [page(['old'], 'more'), ...answers];
    return scene(() => {
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
  };
  const expired = new ApiError(410, { reason: 'Expired' });

  test('is read once more, in one answer', async () => {
    const { client, requests } = expiring(expired, page(['a', 'b']));
    const options = { namespace: 'default', labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };
    expect(await client.list(widgets, options)).toEqual([widget({ name: 'a' }), widget({ name: 'b' })]);
    const { namespace: _, ...selectors } = options;
    expect(requests.map(({ query }) => plain(query))).toEqual([
      { limit: LIST_PAGE_SIZE, ...selectors },
      { limit: LIST_PAGE_SIZE, continue: 'more', ...selectors },
      selectors,
    ]);
  });

  test('is read up to its limit', async () => {
    const { client, requests } = expiring(expired, page(['a', 'b'], 'more'));
    expect(await client.list(widgets, { limit: 2 })).toHaveLength(2);
    expect(requests.map(({ query }) => plain(query))).toEqual([
      { limit: 2 },
      { limit: 1, continue: 'more' },
      { limit: 2 },
    ]);
  });

  test.each([
    ['a second time', [expired, page(['a'], 'more'), expired]],
    ['and says so to the whole list', [expired, expired]],
    ['or fails in another way', [new ApiError(500, {})]],
  ])('is given up when it forgets %s', async (_, answers) => {
    const { client, requests } = expiring(...answers);
    await expect(client.list(widgets)).rejects.toBe(answers.at(-1));
    expect(requests).toHaveLength(answers.length + 1);
  });

  test('is not read again for its first page', async () => {
    const { client, requests } = scene(() => {
      throw expired;
    });
    await expect(client.list(widgets)).rejects.toMatchObject({ code: 410 });
    expect(requests).toHaveLength(1);
  });
});
