/** The RBAC rules of the manager, from which `make manifests` writes config/rbac/role.yaml. */
import { collectRules } from 'controller-runtime/manifests';
import { EXTRA_RBAC_RULES, setupWithManager } from '../controllers/cronjob-controller.ts';
import { setupCronJobRunsWithManager } from '../controllers/cronjobrun-controller.ts';

export const MANAGER_RULES = [
  ...collectRules((manager) => setupCronJobRunsWithManager(manager, setupWithManager(manager))),
  ...EXTRA_RBAC_RULES,
];
