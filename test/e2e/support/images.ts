/** Images of the clusters that we set up: named as people name theirs, and yet no registry has them. */

export const MANAGER_IMAGE = 'cronjob-operator:e2e';
/** The same one: something to upgrade to. */
export const NEXT_MANAGER_IMAGE = 'cronjob-operator:e2e-next';
/** The one that the samples name. */
export const SHELL_IMAGE = 'busybox:1.37';
