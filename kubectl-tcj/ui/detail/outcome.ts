import type { Signal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Done, Fault } from '../../plugin/ui-server/messages.ts';

/** What became of an action. */
export type Outcome = ({ readonly kind: 'Done' } & Done) | ({ readonly kind: 'Failed' } & Fault);

/** What each dialog of an action is given. */
export interface DialogProps {
  readonly cronJob: CronJob;
  readonly close: () => void;
  readonly outcome: Signal<Outcome | undefined>;
}
