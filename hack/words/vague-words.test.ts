import { expect, test } from 'vitest';
import { findVagueWords } from './vague-words.ts';

test.each([
  ['the client is told why', 'told'],
  ['Nobody owns the Job.', 'Nobody'],
  ['the Jobs and those that wait', 'those that'],
  ['a Job of which no container started', 'of which'],
  ['does what was asked', 'what was asked'],
  ['"a/b" is no name', 'is no name'],
  ['the events tell of a failed run', 'tell of'],
  ['the Job is looked at again', 'looked at'],
  ['starts the runs in their order', 'in their order'],
  ['retried without a word', 'without a word'],
  ['Retry. Of three runs the newest starts.', '. Of three'],
  ['// Of the plugin only its reports.', '// Of the'],
  ["description: 'Of this machine.'", "'Of this"],
])('finds the vague word in %j', (text, found) => {
  expect(findVagueWords(`first line\n${text}`)).toEqual([{ line: 2, text: found, instead: expect.any(String) }]);
});

test.each([
  'there is no request',
  'the Job is no longer active',
  'nobody:x:65534:65534',
  'out of three',
  'the runs of those CronJobs',
  'tell the API server which object to delete',
])('accepts %j', (text) => {
  expect(findVagueWords(text)).toEqual([]);
});
