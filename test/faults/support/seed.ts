/** The seed of a run with hostile inputs: FAULTS_SEED, or a random one. The same seed makes the same inputs. */
import { randomInt } from 'node:crypto';

const MAX_SEED = 2 ** 31;

export const SEED = parseSeed(process.env['FAULTS_SEED']);

function parseSeed(given: string | undefined): number {
  if (given === undefined || given === '') return randomInt(MAX_SEED);
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new TypeError(`FAULTS_SEED must be an integer, not "${given}"`);
  return seed;
}
