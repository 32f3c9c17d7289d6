/** All possible next steps of a state. */
import { cacheSteps } from './actions/cache.ts';
import { jobSteps } from './actions/jobs.ts';
import { passSteps } from './actions/passes.ts';
import { processSteps } from './actions/processes.ts';
import type { Step } from './actions/step.ts';
import { timeSteps } from './actions/time.ts';
import { userSteps } from './actions/users.ts';
import type { State } from './state.ts';

export async function listSteps(state: State): Promise<readonly Step[]> {
  return [
    ...(await passSteps(state)),
    ...cacheSteps(state),
    ...timeSteps(state),
    ...jobSteps(state),
    ...userSteps(state),
    ...processSteps(state),
  ];
}
