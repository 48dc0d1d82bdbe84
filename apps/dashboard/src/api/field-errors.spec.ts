import { expect, it } from '@jest/globals';
import { ApiError } from './api.js';
import { fieldErrorsOf } from './field-errors.js';

const invalid = (...errors: [field: string, message: string][]) =>
  new ApiError('invalid_request', 'x', {
    status: 400,
    fieldErrors: errors.map(([field, message]) => ({ field, message })),
  });

it.each([
  ['no error', null, {}, false],
  ['no answer', new ApiError('network', 'Could not reach the API.', { status: null }), {}, false],
  ['a field', invalid(['name', 'must not be empty']), { name: 'Must not be empty.' }, true],
  ['a part of a field', invalid(['scopes.0', 'is unknown']), { scopes: 'Is unknown.' }, true],
  ['two errors of a field', invalid(['name', 'is too long'], ['name', 'is odd']), { name: 'Is too long.' }, true],
  ['a field that the form does not have', invalid(['name', 'is odd'], ['other', 'is odd']), { name: 'Is odd.' }, false],
  ['a name that is taken', new ApiError('domain_exists', 'It exists.', { status: 409 }), { name: 'It exists.' }, true],
  ['a field whose name only begins alike', invalid(['names', 'is odd']), {}, false],
] as const)('the error at the fields: %s', (_name, error, texts, isAtField) =>
  expect(fieldErrorsOf(error, ['name', 'scopes'])).toEqual({ texts, isAtField }),
);
