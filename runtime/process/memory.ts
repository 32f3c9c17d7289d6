/**
 * Reduces the memory of V8 where this costs an operator little. Import it in the first line of a main file, because
 * earlier allocations stay:
 *
 *     import 'controller-runtime/small-memory';
 *
 * Figures and rejected settings: docs/adr/0027-memory-of-the-process.md. It also lists the settings that only the start
 * command can make.
 */
import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  // Keeps the young generation at its first size. It would grow with the burst of a start or of a busy minute, and
  // never shrink.
  '--semi-space-growth-factor=1',
  // Runs a full collection when the heap has doubled. V8 waits for up to four times as much, most of it garbage, and
  // keeps the pages: a quiet minute allocates almost nothing, so nothing would trigger a collection.
  '--heap-growing-percent=100',
  // Delays the optimizing compilers until more calls; V8's defaults are 400 and 3,000. For most functions, compilation
  // takes more memory and time than a busy minute saves.
  '--invocation-count-for-maglev=2000',
  '--invocation-count-for-turbofan=30000',
];

for (const flag of FLAGS) setFlagsFromString(flag);
