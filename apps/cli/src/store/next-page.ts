import { nextCursor } from '../api/next-cursor.js';
import type { Outcome } from '../outcome/outcome.js';

/** The command that shows what follows a page. */
export function nextPage(command: string, response: Response): Outcome['next'] {
  const cursor = nextCursor(response);
  return cursor === null ? [] : [{ command: `${command} --cursor ${cursor}`, when: 'for the next page' }];
}
