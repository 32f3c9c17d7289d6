/** The seed of this run: FAULTS_SEED, or another one each time. Suites print it, and repeat with it what they chose at random. */
import { randomInt } from 'node:crypto';

export const SEED = Number(process.env['FAULTS_SEED'] ?? randomInt(1_000_000));
