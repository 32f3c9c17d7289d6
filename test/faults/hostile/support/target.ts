/** Runs many inputs against a target. Shrinks and prints a failing input, with the seed that repeats it. */
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { SEED } from '../../support/seed.ts';
import { expectUnchangedPrototypes } from './prototypes.ts';

/** Code under test with hostile inputs. */
export interface AttackTarget<T> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<T>;
  /** Throws on a fault. */
  readonly check: (input: T) => void;
  /** The input for the report. Default: fast-check's format. */
  readonly format?: (input: T) => string;
}

/** Like {@link AttackTarget}, for asynchronous code. */
export interface AsyncAttackTarget<T> extends Omit<AttackTarget<T>, 'check'> {
  readonly check: (input: T) => Promise<void>;
}

/** Number of inputs in one slice. Each slice has its own seed. */
const SLICE = 500;
/** Timeout for a slice: a hundred times its usual duration, because other programs need processors too. */
const HANG_MS = 300_000;
const MAX_SHOWN = 4000;

interface AttackOptions {
  /** Gives the parts of one target different seeds. Default 0. */
  readonly part?: number;
  /** Maximum time for a slice, in milliseconds. */
  readonly hangMs?: number;
}

/** Throws when an input makes the target fail or hang. */
export function attack<T>(
  target: AttackTarget<T>,
  numRuns: number,
  { part = 0, hangMs = HANG_MS }: AttackOptions = {},
): void {
  const before = process.cpuUsage();
  for (let done = 0; done < numRuns; done += SLICE) {
    const seed = SEED + part * MAX_SLICES + done / SLICE;
    attackWithSlice(target, { seed, numRuns: Math.min(SLICE, numRuns - done) }, hangMs);
  }
  print(target.name, numRuns, before);
}

/** More than the number of slices of any part. */
const MAX_SLICES = 10_000;

function attackWithSlice<T>(target: AttackTarget<T>, slice: { seed: number; numRuns: number }, hangMs: number): void {
  const { name, inputs, check, format: show } = target;
  let last: T | undefined;
  const property = fc.property(inputs, (input) => {
    last = input;
    check(input);
    expectUnchangedPrototypes();
  });
  try {
    report(
      name,
      runInterruptible(() => fc.check(property, slice), hangMs),
      show,
    );
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const formatted = last === undefined ? 'none' : truncate(show?.(last) ?? fc.stringify(last));
    throw new Error(`${name} hangs with seed ${SEED} on ${formatted}`, { cause: error });
  }
}

/** Like {@link attack}. */
export async function attackAsync<T>(
  { name, inputs, check, format: show }: AsyncAttackTarget<T>,
  numRuns: number,
): Promise<void> {
  const before = process.cpuUsage();
  const property = fc.asyncProperty(inputs, async (input) => {
    await check(input);
    expectUnchangedPrototypes();
  });
  report(name, await fc.check(property, { seed: SEED, numRuns }), show);
  print(name, numRuns, before);
}

/** An endless loop can only be stopped from outside. */
function runInterruptible<R>(call: () => R, timeout: number): R {
  const key = Symbol.for('hostile call');
  const scope = globalThis as unknown as Record<symbol, unknown>;
  scope[key] = call;
  return runInThisContext("globalThis[Symbol.for('hostile call')]()", { timeout }) as R;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function report<T>(name: string, details: fc.RunDetails<[T]>, show: AttackTarget<T>['format']): void {
  if (!details.failed) return;
  const { counterexample, counterexamplePath, numRuns, numShrinks, seed, errorInstance } = details;
  const input = counterexample?.[0];
  const formatted = input === undefined ? 'none' : truncate(show?.(input) ?? fc.stringify(input));
  const where = `seed of the slice ${seed}, path ${counterexamplePath}, input ${numRuns}, shrunk ${numShrinks} times`;
  const cause = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
  throw new Error(
    `${name} fails (FAULTS_SEED=${SEED} repeats it; ${where}): ${truncate(cause.message)}\ninput: ${formatted}`,
    {
      cause,
    },
  );
}

function truncate(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

function print(name: string, numRuns: number, before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  console.log(`${name}: ${numRuns} inputs, seed ${SEED}, ${((user + system) / 1e6).toFixed(1)} s of CPU`);
}
