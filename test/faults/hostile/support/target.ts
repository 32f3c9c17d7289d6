/** Gives a target many inputs. What fails is shrunk and shown, with the seed that repeats it. */
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { SEED } from '../../support/seed.ts';
import { prototypesAsTheyWere } from './prototypes.ts';

/** Something that gets hostile inputs. */
export interface Target<T> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<T>;
  /** Throws when something is wrong. */
  readonly check: (input: T) => void;
  /** The input as people read it. Default: as fast-check shows it. */
  readonly show?: (input: T) => string;
}

/** As {@link Target}, for what answers later. */
export interface AsyncTarget<T> extends Omit<Target<T>, 'check'> {
  readonly check: (input: T) => Promise<void>;
}

/** A call that does not return is ended after so long: many times what a million inputs take. */
const HANG_MS = 600_000;
const MAX_SHOWN = 4000;

/** Throws when an input makes the target fail, or hang. @param hangMs All inputs together must take less. */
export function attack<T>({ name, inputs, check, show }: Target<T>, numRuns: number, hangMs = HANG_MS): void {
  const before = process.cpuUsage();
  let last: T | undefined;
  const property = fc.property(inputs, (input) => {
    last = input;
    check(input);
    prototypesAsTheyWere();
  });
  try {
    const details = interruptible(() => fc.check(property, { seed: SEED, numRuns }), hangMs);
    report(name, details, show);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const shown = last === undefined ? 'none' : cut(show?.(last) ?? fc.stringify(last));
    throw new Error(`${name} hangs with seed ${SEED} on ${shown}`, { cause: error });
  }
  print(name, numRuns, before);
}

/** As {@link attack}. */
export async function attackAsync<T>({ name, inputs, check, show }: AsyncTarget<T>, numRuns: number): Promise<void> {
  const before = process.cpuUsage();
  const property = fc.asyncProperty(inputs, async (input) => {
    await check(input);
    prototypesAsTheyWere();
  });
  report(name, await fc.check(property, { seed: SEED, numRuns }), show);
  print(name, numRuns, before);
}

/** A loop without end cannot be left but from outside. */
function interruptible<R>(call: () => R, timeout: number): R {
  const key = Symbol.for('hostile call');
  const scope = globalThis as unknown as Record<symbol, unknown>;
  scope[key] = call;
  return runInThisContext("globalThis[Symbol.for('hostile call')]()", { timeout }) as R;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function report<T>(name: string, details: fc.RunDetails<[T]>, show: Target<T>['show']): void {
  if (!details.failed) return;
  const { counterexample, counterexamplePath, numRuns, numShrinks, errorInstance } = details;
  const input = counterexample?.[0];
  const shown = input === undefined ? 'none' : cut(show?.(input) ?? fc.stringify(input));
  const where = `seed ${SEED}, path ${counterexamplePath}, input ${numRuns}, shrunk ${numShrinks} times`;
  const cause = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
  throw new Error(`${name} fails (FAULTS_SEED=${SEED} repeats it; ${where}): ${cut(cause.message)}\ninput: ${shown}`, {
    cause,
  });
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

function print(name: string, numRuns: number, before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  console.log(`${name}: ${numRuns} inputs, seed ${SEED}, ${((user + system) / 1e6).toFixed(1)} s of CPU`);
}
