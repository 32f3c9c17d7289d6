import { z } from 'zod';

/**
 * Valid values of schemas whose rule is a function. `checkConversions` generates objects with these values, because
 * almost every random value is invalid.
 */
export const EXAMPLES = z.registry<{ readonly values: readonly unknown[] }>();
