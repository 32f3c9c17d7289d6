import { testHostileInputs } from './support/attacks.ts';

testHostileInputs('many');
