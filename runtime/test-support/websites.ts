/**
 * A kind with two versions for tests. The version v1alpha1 has a size instead of a number of replicas. An annotation
 * keeps a number that differs from the number of the size.
 */
import { z } from 'zod';
import { defineKind } from '../schema/define-kind.ts';
import { int32 } from '../schema/field-types.ts';

const REPLICAS = { small: 1, large: 10 };
const toSize = (replicas: number) => (replicas > 5 ? 'large' : 'small');

export const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({ image: z.string().max(253), replicas: int32().min(0).max(10).default(1) }),
  status: z.object({ readyReplicas: int32().optional() }),
})
  .withVersion({
    version: 'v1alpha1',
    deprecated: 'use v1',
    spec: z.object({ image: z.string().max(253), size: z.enum(['small', 'large']).default('small') }),
  })
  .withConversion({
    toHub: ({ metadata, spec: { image, size } }) => {
      const { 'example.com/replicas': text, ...annotations } = metadata.annotations ?? {};
      // A user may change the size without removing the annotation.
      const isCurrent = text !== undefined && toSize(Number(text)) === size;
      return {
        metadata: { ...metadata, annotations },
        spec: { image, replicas: isCurrent ? Number(text) : REPLICAS[size] },
      };
    },
    fromHub: ({ metadata, spec: { image, replicas } }) => {
      const size = toSize(replicas);
      if (REPLICAS[size] === replicas) return { spec: { image, size } };
      const annotations = { ...metadata.annotations, 'example.com/replicas': String(replicas) };
      return { metadata: { ...metadata, annotations }, spec: { image, size } };
    },
  });
