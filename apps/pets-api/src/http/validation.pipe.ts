import { StandardSchemaValidationPipe } from '@nestjs/common';
import { DomainError } from '@pets/platform';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Checks bodies, queries and path parameters by their zod schemas. */
export const validationPipe = new StandardSchemaValidationPipe({ exceptionFactory: (issues) => refuseIssues(issues) });

/** The first fault is named in the error. */
export function refuseIssues([issue]: readonly Issue[]): DomainError {
  const path = issue?.path?.map((step) => String(typeof step === 'object' ? step.key : step)).join('.') ?? '';
  const message = issue?.message ?? 'invalid';
  return new DomainError('invalid_parameter', path === '' ? message : `${path}: ${message}`);
}
