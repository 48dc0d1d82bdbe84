import { RequestError } from '@pets/platform';
import { z } from 'zod';
import { isUuid } from '../platform/uuid.js';

/** An id in a path. No object has an id that is not a UUID, so the answer is that of a missing object. */
export const idSchema = z.string().transform((id) => {
  if (!isUuid(id)) throw new RequestError('not_found', 'There is nothing with this id.');
  return id;
});

/** A domain in a path: its id or its name. Text that no name can contain must not reach the database. */
export const domainKeySchema = z.string().transform((key) => {
  if (/[\x00-\x20]/.test(key) || !key.isWellFormed())
    throw new RequestError('not_found', 'There is no such domain in this project.');
  return key;
});
