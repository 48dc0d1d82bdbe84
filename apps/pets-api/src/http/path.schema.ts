import { RequestError } from '@pets/platform';
import { z } from 'zod';

/** An id in a path. What is no UUID names nothing, so it answers as a missing object does, not as a bad parameter. */
export const idSchema = z.string().transform((id) => {
  if (!z.uuid().safeParse(id).success) throw new RequestError('not_found', 'There is nothing with this id.');
  return id;
});

/** A domain in a path: its id or its name. What no name can contain names nothing, and must not reach the database. */
export const domainKeySchema = z.string().transform((key) => {
  if (/[\x00-\x20]/.test(key) || !key.isWellFormed())
    throw new RequestError('not_found', 'There is no such domain in this project.');
  return key;
});
