import { z } from 'zod';

/** Whether a text is an id. Other texts must not reach a column of the type `uuid`. */
export function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success;
}
