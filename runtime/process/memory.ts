/**
 * Makes V8 take less memory, where this costs an operator little. For the first line of a main file, because what is allocated
 * before stays:
 *
 *     import 'controller-runtime/small-memory';
 *
 * Figures and rejected settings: docs/adr/0027-memory-of-the-process.md. For what only the start command can set, see there too.
 */
import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  // The young generation stays at its first size. It would grow with the burst of a start or of a busy minute, and stay so.
  '--semi-space-growth-factor=1',
  // A full collection when the heap has doubled. V8 waits for up to four times as much, most of it garbage, and keeps the pages:
  // nearly nothing is allocated in a quiet minute, so nothing would make it collect.
  '--heap-growing-percent=100',
  // Functions are compiled by the optimizing compilers after more calls: 400 and 3,000 are V8's numbers. A compiler takes more memory
  // and time for most functions than a busy minute of them gives back.
  '--invocation-count-for-maglev=2000',
  '--invocation-count-for-turbofan=30000',
];

for (const flag of FLAGS) setFlagsFromString(flag);
