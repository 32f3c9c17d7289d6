/** The schedule of v2, an object with a field for each part of the text in v1. */
import { apiRule } from 'controller-runtime';
import { z } from 'zod';

/** An absent part is `*`, so that each schedule has only one form. */
const part = (description: string) =>
  z
    .string()
    .max(49)
    .regex(/^([^*\s]\S*|\*\S+)$/)
    .optional()
    .describe(description);

/** Five parts with one space between them. */
const PARTS = /^\S{1,49}( \S{1,49}){4}$/;

export const structuredSchedule = apiRule(
  z.object({
    minute: part('Minute: 0 to 59.'),
    hour: part('Hour: 0 to 23.'),
    dayOfMonth: part('Day of month: 1 to 31.'),
    month: part('Month: 1 to 12.'),
    dayOfWeek: part('Day of week: 0 to 6.'),
    expression: z.string().min(1).max(253).optional().describe('A schedule without parts, such as @hourly.'),
  }),
  {
    rule:
      "!has(self.expression) || (!self.expression.matches('^\\\\S{1,49}( \\\\S{1,49}){4}$') && " +
      '![has(self.minute), has(self.hour), has(self.dayOfMonth), has(self.month), has(self.dayOfWeek)].exists(x, x))',
    message: 'expression must not have five parts, and must be the only field',
    isValid: ({ expression, ...parts }) =>
      expression === undefined || (!PARTS.test(expression) && Object.values(parts).every((text) => text === undefined)),
  },
).meta({ 'x-kubernetes-map-type': 'atomic' });

type StructuredSchedule = z.infer<typeof structuredSchedule>;

export function toText({ expression, minute, hour, dayOfMonth, month, dayOfWeek }: StructuredSchedule): string {
  return expression ?? [minute, hour, dayOfMonth, month, dayOfWeek].map((text) => text ?? '*').join(' ');
}

export function toStructured(text: string): StructuredSchedule {
  if (!PARTS.test(text)) return { expression: text };
  const [minute, hour, dayOfMonth, month, dayOfWeek] = text.split(' ').map((each) => (each === '*' ? undefined : each));
  return { minute, hour, dayOfMonth, month, dayOfWeek };
}
