/** Without zod, so that the dashboard can have it. */

/** The most that one answer lists; a body of 64 KiB can have tens of thousands of faults. */
export const MAX_FIELD_ERRORS = 100;

export const MAX_FIELD_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 500;

/** One fault of a request. */
export interface FieldError {
  /** The path of the field, with dots between. Empty: the body as a whole. */
  readonly field: string;
  readonly message: string;
}

/** At least one. The first is the one that `message` names. */
export type FieldErrors = readonly [FieldError, ...FieldError[]];

/** Names come from clients: what does not show, or shows in another order than it is written, is replaced. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A fault, cut to the length that an answer shows. */
export function fieldError(path: readonly PropertyKey[] | string, message: string): FieldError {
  const field = typeof path === 'string' ? path : path.map(String).join('.');
  return { field: shortened(field, MAX_FIELD_LENGTH), message: shortened(message, MAX_MESSAGE_LENGTH) };
}

/** As a sentence for people: `name: is required`, `The body must be an object`. */
export function fieldErrorText({ field, message }: FieldError): string {
  return field === '' ? `The body ${message}` : `${field}: ${message}`;
}

function shortened(text: string, maxLength: number): string {
  const short = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
  return short.replaceAll(unprintable, '\ufffd');
}
