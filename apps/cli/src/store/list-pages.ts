import { nextCursor } from '@pets/client';
import { Option, type Command as Program } from 'commander';
import type { Outcome } from '../outcome/outcome.js';
import { parseCount } from '../program/arguments.js';
import { shellWord } from '../terminal/format.js';

const DEFAULT_PAGE_SIZE = 20;
const sortOrders = ['createdAt', '-createdAt'] as const;

/** The options of a list that is shown page by page. */
export interface PageOptions<Status> {
  readonly limit: number;
  readonly status?: Status;
  /** Beginning of the animal's name. */
  readonly prefix?: string;
  readonly sort?: (typeof sortOrders)[number];
  readonly cursor?: string;
}

export function addPageOptions(list: Program, statuses: readonly string[]): Program {
  return list
    .option('--limit <number>', 'maximum number of results', parseCount, DEFAULT_PAGE_SIZE)
    .addOption(new Option('--status <status>', 'filter by status').choices(statuses))
    .option('--prefix <text>', 'only where the name of the animal begins with this text')
    .addOption(new Option('--sort <order>', 'order; with a minus sign descending').choices(sortOrders))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output');
}

/** Query parameters as the API names them. */
export function queryOf<Status>({ prefix, ...query }: PageOptions<Status>) {
  return { ...query, ...(prefix !== undefined && { q: prefix }) };
}

/** The command that shows the next page. */
export function nextPage(command: string, options: PageOptions<string>, response: Response): Outcome['next'] {
  const cursor = nextCursor(response);
  if (cursor === null) return [];
  const { limit, status, prefix, sort } = options;
  const words = [
    `--limit ${limit}`,
    ...(status === undefined ? [] : [`--status ${status}`]),
    ...(prefix === undefined ? [] : [`--prefix ${shellWord(prefix)}`]),
    ...(sort === undefined ? [] : [`--sort ${sort}`]),
    `--cursor ${cursor}`,
  ];
  return [{ command: `${command} ${words.join(' ')}`, when: 'for the next page' }];
}
