import { nextCursor } from '@pets/client';
import { Option, type Command as Program } from 'commander';
import type { Outcome } from '../outcome/outcome.js';
import { parseCount } from '../program/arguments.js';

const DEFAULT_PAGE_SIZE = 20;

/** The options of a list that is shown page by page. */
export interface PageOptions<Status> {
  readonly limit: number;
  readonly status?: Status;
  readonly cursor?: string;
}

export function addPageOptions(list: Program, statuses: readonly string[]): Program {
  return list
    .option('--limit <number>', 'maximum number of results', parseCount, DEFAULT_PAGE_SIZE)
    .addOption(new Option('--status <status>', 'filter by status').choices(statuses))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output');
}

/** The command that shows the next page. */
export function nextPage(command: string, { limit, status }: PageOptions<string>, response: Response): Outcome['next'] {
  const cursor = nextCursor(response);
  if (cursor === null) return [];
  const filter = status === undefined ? '' : ` --status ${status}`;
  return [{ command: `${command} --limit ${limit}${filter} --cursor ${cursor}`, when: 'for the next page' }];
}
