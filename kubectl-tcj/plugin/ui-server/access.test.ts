import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { PageAccess } from './access.ts';

const clock = () => new FakeClock(new Date(0));

test('accepts the token of the link any number of times', async () => {
  const time = clock();
  const access = new PageAccess(time);
  await time.advance(3_600_000);
  expect([access.acceptToken(access.token), access.acceptToken(access.token)]).toEqual([true, true]);
});

test('accepts a launch token once', () => {
  const access = new PageAccess(clock());
  const token = access.createLaunchToken();
  expect([access.acceptToken(token), access.acceptToken(token)]).toEqual([true, false]);
});

test('accepts a launch token for a minute', async () => {
  const time = clock();
  const access = new PageAccess(time);
  const token = access.createLaunchToken();
  await time.advance(59_999);
  expect(access.acceptToken(token)).toBe(true);
  const late = access.createLaunchToken();
  await time.advance(60_000);
  expect(access.acceptToken(late)).toBe(false);
});

test('accepts no other token, and creates new tokens at each start', () => {
  const access = new PageAccess(clock());
  const other = new PageAccess(clock());
  for (const token of ['', access.token.slice(1), `${access.token}a`, other.token, other.createLaunchToken()]) {
    expect(access.acceptToken(token)).toBe(false);
  }
});

test('finds its cookie among others, for one port only', () => {
  const access = new PageAccess(clock());
  const [cookie = ''] = access.createCookie(1).split(';');
  expect(access.hasCookie(`a=b; ${cookie}; c`, 1)).toBe(true);
  expect(access.hasCookie(cookie, 2)).toBe(false);
  expect(access.hasCookie(cookie.slice(0, -1), 1)).toBe(false);
  expect(access.hasCookie(undefined, 1)).toBe(false);
  expect(cookie).not.toContain(access.token);
});
