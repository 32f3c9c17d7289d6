import { describe, expect, test } from 'vitest';
import { type LineFragment, LogPosition } from './log-position.ts';

const bytes = (text: string) => Buffer.from(text);

function joinText(pieces: readonly LineFragment[]): string {
  return pieces.map((piece) => Buffer.from(piece.bytes).toString('latin1') + (piece.isLineEnd ? '\n' : '')).join('');
}

/** A log as a kubelet stores it. */
const LINES = [
  ['2026-01-01T00:00:00.000000001Z', 'first'],
  ['2026-01-01T00:00:00.000000001Z', 'of the same time'],
  ['2026-01-01T00:00:00.000000001Z', 'first'],
  ['2026-01-01T00:00:00.500000000Z', ''],
  ['2026-01-01T00:00:01.000000000Z', '2026-01-01T00:00:01Z printed by the container'],
  ['2026-01-01T02:00:01.100000000+02:00', 'in another zone'],
  ['2026-01-01T00:00:07.000000000Z', `long ${'x'.repeat(100)}`],
  ['2026-01-01T00:00:08.000000000Z', 'no line break'],
] as const;
const PRINTED = LINES.map(([, text]) => text).join('\n');

/** The response of a kubelet: it compares whole seconds, and begins lines with their times. */
function served(sinceTime: string | undefined): Buffer {
  const since = Date.parse(sinceTime ?? '1970-01-01T00:00:00Z');
  return bytes(
    LINES.filter(([stamp]) => Date.parse(stamp) >= since)
      .map(([stamp, text]) => `${stamp} ${text}`)
      .join('\n'),
  );
}

function read(place: LogPosition, stream: Buffer, chunkBytes: number): string {
  let text = '';
  place.beginStream();
  for (let at = 0; at < stream.length; at += chunkBytes)
    text += joinText(place.readFragments(stream.subarray(at, at + chunkBytes)));
  return text;
}

describe('a log with timestamps', () => {
  test.each([1, 7, 1000])('is passed on without them, in chunks of %i bytes', (chunkBytes) => {
    const place = new LogPosition(true);
    expect(read(place, served(undefined), chunkBytes) + joinText(place.flush())).toBe(PRINTED);
  });

  test('continues at the same byte wherever and however often a stream breaks', () => {
    const whole = served(undefined);
    for (let cut = 0; cut <= whole.length; cut++) {
      for (const again of [0, 1, 40, 200]) {
        const place = new LogPosition(true);
        let text = read(place, whole.subarray(0, cut), 50);
        text += read(place, served(place.sinceTime).subarray(0, again), 13);
        text += read(place, served(place.sinceTime), 31);
        expect(text + joinText(place.flush())).toBe(PRINTED);
      }
    }
  });

  test('continues with a new line when a part was rotated away', () => {
    const place = new LogPosition(true);
    const first = read(place, bytes('2026-01-01T00:00:00Z half'), 100);
    expect(first + read(place, bytes('2026-01-01T00:00:05Z next\n'), 100)).toBe('half\nnext\n');
  });

  test('continues from the whole second of its newest line', () => {
    const place = new LogPosition(true);
    expect(place.sinceTime).toBeUndefined();
    read(place, bytes('2026-01-01T02:00:01.999999999+02:00 a\n'), 100);
    expect(place.sinceTime).toBe('2026-01-01T00:00:01Z');
  });
});

test.each(['a\nb\n\nc', '\n\n', 'one line', ' ', '2026-99-99T99:99:99Z x\n', `${'2'.repeat(50)} y\n`, '-\n'.repeat(9)])(
  'passes a log without timestamps on unchanged, also after a restart: %j',
  (log) => {
    for (let cut = 0; cut <= log.length; cut++) {
      const place = new LogPosition(true);
      const expected = log.replace('2026-99-99T99:99:99Z ', '');
      expect(read(place, bytes(log.slice(0, cut)), 3) + read(place, bytes(log), 3) + joinText(place.flush())).toBe(
        expected,
      );
    }
  },
);

test('passes bytes that are not UTF-8 on unchanged', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const place = new LogPosition(false);
  place.beginStream();
  expect(joinText(place.readFragments(every))).toBe(every.toString('latin1'));
});

test('keeps nothing of an endless line in memory', () => {
  const place = new LogPosition(true);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  place.beginStream();
  for (let count = 0; count < 1000; count++) {
    const pieces = place.readFragments(chunk);
    expect(pieces.map((piece) => [piece.bytes.length, piece.isLineEnd])).toEqual([[chunk.length, false]]);
  }
});
