/** What somebody sees and is offered who may not do everything. */
import { rbac } from 'controller-runtime/kubernetes';
import { expect, inject, test } from 'vitest';
