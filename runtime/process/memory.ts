/**
 * Sets flags of V8 that reduce the memory use of an operator, and make the operator only slightly slower. Import this
 * module in the first line of a main file, because the flags do not affect earlier allocations:
 *
 *     import 'controller-runtime/small-memory';
 *
 * docs/adr/0027-memory-of-the-process.md has the measurements, and lists the settings that only the start command can
 * set.
 */
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const V8_FLAGS = [
  // Keeps the initial size of the young generation, which V8 would otherwise increase during a busy minute.
  '--semi-space-growth-factor=1',
  // Runs a full garbage collection after the heap has doubled. By default, V8 may wait until the heap is four times as
  // large, although most of the heap is garbage. In a quiet minute, too few allocations happen to start a collection.
  '--heap-growing-percent=100',
  // Increases the number of calls before V8 optimizes a function (defaults 400 and 3,000). For most functions, the compilation
  // costs more memory and time than the optimized code saves.
  '--invocation-count-for-maglev=2000',
  '--invocation-count-for-turbofan=30000',
  // Keeps the bytecode of functions that were not called for some time. Otherwise, V8 would compile them again in the next burst.
  '--no-flush-bytecode',
];

for (const flag of V8_FLAGS) setFlagsFromString(flag);

/** Shorter than the 110 s after which V8 forgets the allocation of a C++ object. */
const SCRIPT_INTERVAL_MS = 60_000;

// Some seconds after a burst, V8 returns unused memory if the process allocates little. Since V8 13.1 (Node 24), V8 considers a process
// that allocates no C++ objects busy: Heap::HasLowEmbedderAllocationRate. A script is a C++ object.
const allocateScript = () => void new Script('');
allocateScript();
setInterval(allocateScript, SCRIPT_INTERVAL_MS).unref();
