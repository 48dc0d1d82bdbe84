/** Errors of single fields. This file does not use zod, so that the dashboard can import it. */

/** Limit of the field errors in one response; a body of 64 KiB can have tens of thousands of errors. */
export const MAX_FIELD_ERRORS = 100;

export const MAX_FIELD_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 500;

/** An invalid field of a request. */
export interface FieldError {
  /** The path of the field, separated by dots. Empty for the body itself. */
  readonly field: string;
  readonly message: string;
}

/** Errors of a request, at least one. `message` of the response names the first. */
export type FieldErrors = readonly [FieldError, ...FieldError[]];

/** Invisible and bidirectional characters are replaced, since names come from clients. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Creates a field error, truncated to the length that a response shows. */
export function fieldError(path: readonly PropertyKey[] | string, message: string): FieldError {
  const field = typeof path === 'string' ? path : path.map(String).join('.');
  return { field: shortened(field, MAX_FIELD_LENGTH), message: shortened(message, MAX_MESSAGE_LENGTH) };
}

/** A field error as a sentence: `name: is required`, `The body must be an object`. */
export function fieldErrorText({ field, message }: FieldError): string {
  return field === '' ? `The body ${message}` : `${field}: ${message}`;
}

function shortened(text: string, maxLength: number): string {
  const short = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
  return short.replaceAll(unprintable, '\ufffd');
}
