/** The fast part of test/faults/hostile/in-process.test.ts. */
import { testHostileInputs } from '../hostile/support/attacks.ts';

testHostileInputs('few');
