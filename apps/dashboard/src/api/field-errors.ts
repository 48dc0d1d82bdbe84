import type { ErrorCode } from '@pets/contracts';
import { sentence } from '@pets/domain-setup';
import { ApiError } from './api.js';

/** Errors about the state of something that a field of the form names. */
const fieldOfCode: Partial<Record<ErrorCode | 'network', string>> = {
  invalid_api_key: 'apiKey',
  invalid_domain: 'name',
  wildcard_needs_dns_challenge: 'name',
  domain_exists: 'name',
  name_blocked: 'name',
  name_reserved: 'slug',
  already_exists: 'slug',
};

interface FieldTexts<Field extends string> {
  /** Error text of each field; absent for a valid one. */
  readonly texts: Partial<Record<Field, string>>;
  /** Whether the fields show everything, so that the form need not. */
  readonly isAtField: boolean;
}

/**
 * The error of a request, at the fields of its form.
 * @param fields as the API calls them; a field of a list or an object has the errors of its parts
 */
export function fieldErrorsOf<Field extends string>(error: Error | null, fields: readonly Field[]): FieldTexts<Field> {
  const texts: Partial<Record<Field, string>> = {};
  if (!(error instanceof ApiError)) return { texts, isAtField: false };
  const ofCode = fields.find((field) => field === fieldOfCode[error.code]);
  const errors = error.fieldErrors;
  if (errors.length === 0) {
    if (ofCode !== undefined) texts[ofCode] = sentence(error.message);
    return { texts, isAtField: ofCode !== undefined };
  }
  let isAtField = true;
  for (const { field: path, message } of errors) {
    const field = fields.find((each) => path === each || path.startsWith(`${each}.`));
    if (field === undefined) isAtField = false;
    else texts[field] ??= sentence(message);
  }
  return { texts, isAtField };
}
