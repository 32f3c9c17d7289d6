/** All possible next steps of a state. */
import { cacheSteps } from './actions/cache.ts';
import { jobSteps } from './actions/jobs.ts';
import { processSteps } from './actions/processes.ts';
import { reconcileSteps } from './actions/reconciles.ts';
import type { ModelStep } from './actions/step.ts';
import { timeSteps } from './actions/time.ts';
import { userSteps } from './actions/users.ts';
import type { ModelState } from './state.ts';

export async function listSteps(state: ModelState): Promise<readonly ModelStep[]> {
  return [
    ...(await reconcileSteps(state)),
    ...cacheSteps(state),
    ...timeSteps(state),
    ...jobSteps(state),
    ...userSteps(state),
    ...processSteps(state),
  ];
}
