import { describe, expect, test } from 'vitest';
import { describeFields, describePeriod } from './describe.ts';
import { parseExpression } from './expression.ts';

function describeText(text: string): string {
  const expression = parseExpression(text);
  if (expression.kind !== 'cron') throw new Error(`not five fields: ${JSON.stringify(expression)}`);
  return describeFields(expression.fields);
}

describe('describes', () => {
  test.each([
    ['* * * * *', 'Every minute'],
    ['0-59 */1 ? * ?', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0,30 * * * *', 'Every 30 minutes'],
    ['5/15 * * * *', 'Every 15 minutes from minute 5 of the hour'],
    ['*/45 * * * *', 'At minutes 0 and 45 of every hour'],
    ['*/7 * * * *', 'At every 7th minute from 0 to 56 of every hour'],
    ['*/13 * * * *', 'At every 13th minute from 0 to 52 of every hour'],
    ['7/90 * * * *', 'At minute 7 of every hour'],
    ['10-20,*/7 * * * *', 'At minutes 0, 7, 10 to 21, 28, 35, 42, 49 and 56 of every hour'],
    ['@hourly', 'At minute 0 of every hour'],
    ['@daily', 'At 00:00 every day'],
    ['@midnight', 'At 00:00 every day'],
    ['@weekly', 'At 00:00 on Sunday'],
    ['@monthly', 'At 00:00 on day 1 of the month'],
    ['@yearly', 'At 00:00 on day 1 of the month, in January'],
    ['@annually', 'At 00:00 on day 1 of the month, in January'],
    ['30 2 * * *', 'At 02:30 every day'],
    ['0,30 9,17 * * *', 'At 09:00, 09:30, 17:00 and 17:30 every day'],
    ['0 9-17 * * mon-fri', 'At minute 0 of hours 9 to 17, Monday to Friday'],
    ['5/15 9-17 * * *', 'At minutes 5, 20, 35 and 50 of hours 9 to 17, every day'],
    ['0 */2 * * *', 'At minute 0 of every 2nd hour from 0 to 22, every day'],
    ['* 9 * * *', 'Every minute of hour 9, every day'],
    ['*/5 22,23,0-4 * * *', 'Every 5 minutes of hours 0 to 4, 22 and 23, every day'],
    ['*/10 * 1 * *', 'Every 10 minutes, on day 1 of the month'],
    ['* * * 6-8 *', 'Every minute, June to August'],
    ['0 0 * 1-11 *', 'At 00:00 every day, January to November'],
    ['0 0 */3 * *', 'At 00:00 on every 3rd day from 1 to 31 of the month'],
    ['0 0 1/11 * *', 'At 00:00 on days 1, 12 and 23 of the month'],
    ['30 6 * * 1-5', 'At 06:30, Monday to Friday'],
    ['0 0 * 6-8 0,2-4', 'At 00:00, Sunday and Tuesday to Thursday, June to August'],
    ['0 0 29 2 *', 'At 00:00 on day 29 of the month, in February'],
    ['0 0 * jan-mar/2 0/2', 'At 00:00 on Sunday, Tuesday, Thursday and Saturday, in January and March'],
  ])('%s: %s', (text, words) => {
    expect(describeText(text)).toBe(words);
  });
});

describe('describes a schedule without an existing day', () => {
  test.each([
    ['0 0 31 2 *', 'Never: at 00:00 on day 31 of the month, in February'],
    ['* * 31 2,4,6 *', 'Never: every minute, on day 31 of the month, in February, April and June'],
    ['0 0 30,31 2 *', 'Never: at 00:00 on days 30 and 31 of the month, in February'],
    ['0 0 31 2 1', 'At 00:00 on day 31 of the month or on Monday (either is enough), in February'],
  ])('%s: %s', (text, words) => {
    expect(describeText(text)).toBe(words);
  });
});

describe('describes how the two day fields combine', () => {
  test.each([
    ['30 6 1,15 * 1-5', 'At 06:30 on days 1 and 15 of the month or Monday to Friday (either is enough)'],
    ['30 6 1,15 3 1-5', 'At 06:30 on days 1 and 15 of the month or Monday to Friday (either is enough), in March'],
    ['0 0 */2 * 1', 'At 00:00 on every 2nd day from 1 to 31 of the month or on Monday (either is enough)'],
    ['0 0 1-31 * 1', 'At 00:00 on days 1 to 31 of the month or on Monday (either is enough)'],
    ['0 0 */1 * 1', 'At 00:00 on Monday'],
    ['0 0 ? * 1', 'At 00:00 on Monday'],
    ['0 0 1,* * 1', 'At 00:00 on Monday'],
    ['0 0 1-31 * *', 'At 00:00 every day'],
    ['0 0 13 * 0-6/1', 'At 00:00 on day 13 of the month or Sunday to Saturday (either is enough)'],
    ['0 0 13 * 5,*', 'At 00:00 on day 13 of the month'],
  ])('%s: %s', (text, words) => {
    expect(describeText(text)).toBe(words);
  });
});

test.each([
  ['1s', 'Every second'],
  ['60m', 'Every hour'],
  ['90m', 'Every 1 hour 30 minutes'],
  ['90s', 'Every 1 minute 30 seconds'],
  ['26h0m1s', 'Every 26 hours 1 second'],
])('@every %s: %s', (duration, words) => {
  const expression = parseExpression(`@every ${duration}`);
  expect(expression.kind === 'every' && describePeriod(expression.periodMs)).toBe(words);
});
