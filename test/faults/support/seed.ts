/** The seed of a run with hostile inputs: FAULTS_SEED, or a random one. The same seed makes the same inputs. */
import { randomInt } from 'node:crypto';

const MAX_SEED = 2 ** 31;

export const SEED = parseSeed(process.env['FAULTS_SEED']);

function parseSeed(text: string | undefined): number {
  if (text === undefined || text === '') return randomInt(MAX_SEED);
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new TypeError(`FAULTS_SEED must be an integer, not "${text}"`);
  return seed;
}
