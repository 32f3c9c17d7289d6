/** The name of the operator: its Deployment, its roles and its lease have this name. */
export const NAME = 'website-operator';

/** The labels of all objects that the operator creates. The cache contains only owned objects with these labels. */
export const MANAGED_LABELS = { 'app.kubernetes.io/managed-by': NAME };
