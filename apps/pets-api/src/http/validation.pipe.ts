import { StandardSchemaValidationPipe } from '@nestjs/common';
import { DomainError } from '@pets/platform';

/** Checks bodies, queries and path parameters by their zod schemas; the first fault is named in the error. */
export const validationPipe = new StandardSchemaValidationPipe({
  exceptionFactory: ([issue]) => {
    const path = issue?.path?.map((step) => String(typeof step === 'object' ? step.key : step)).join('.') ?? '';
    return new DomainError(
      'invalid_parameter',
      path === '' ? (issue?.message ?? 'invalid') : `${path}: ${issue?.message}`,
    );
  },
});
