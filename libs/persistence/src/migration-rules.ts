/**
 * Rules for a step on a database that the previous version still uses. They match the SQL text without a parser, so write
 * statements in the plain form that the rules know (`alter table x add column y`).
 */

export interface CheckedMigration {
  readonly statements: readonly string[];
  /** Whether it says why nothing uses what it removes. */
  readonly isContract: boolean;
  readonly isConcurrent: boolean;
}

/** @returns the faults, one line each */
export function findMigrationFaults(migration: CheckedMigration): string[] {
  const statements = migration.statements.map(plain);
  const fresh = new Set(
    statements.flatMap((statement) => /^create table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? []),
  );
  return statements.flatMap((statement, index) => [
    ...evaluateIndex(statement, fresh, migration.isConcurrent, statements[index - 1]),
    ...(migration.isContract ? [] : evaluateLoss(statement)),
    ...actionsOn(statement, fresh).flatMap(evaluateAction),
  ]);
}

/** Lower case, one space between words, without comments and without the contents of quotes, parentheses and functions. */
function plain(statement: string): string {
  let text = statement.replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, `''`).replaceAll(/'(?:[^']|'')*'/g, `''`);
  text = text
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll('"', '')
    .toLowerCase();
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replaceAll(/\([^()]*\)/g, ' ');
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `create index` blocks writers of its table until it is done. */
function evaluateIndex(
  statement: string,
  fresh: ReadonlySet<string>,
  isConcurrent: boolean,
  before: string | undefined,
): string[] {
  const found = /^create (?:unique )?index (concurrently )?(?:if not exists )?(\w+) on (?:only )?(\w+)/.exec(statement);
  if (found === null) return [];
  const [, concurrently, name = '', table = ''] = found;
  if (concurrently === undefined) {
    return fresh.has(table) ? [] : [`index ${name} on ${table}, which is in use, is not built concurrently`];
  }
  return [
    ...(isConcurrent ? [] : [`index ${name} is built concurrently, and the migration does not say isConcurrent`]),
    // An interrupted build leaves an invalid index, which `if not exists` would accept.
    ...(before === `drop index concurrently if exists ${name}`
      ? []
      : [`index ${name} has no "drop index concurrently if exists ${name}" before it`]),
  ];
}

/** Finds removals and renames of what the previous version may still use. */
function evaluateLoss(statement: string): string[] {
  const isLoss =
    /^drop (?!index concurrently if exists|trigger)/.test(statement) ||
    /^(?:truncate|alter (?:table|type|index) .*\brename\b)/.test(statement) ||
    /^alter table .*\bdrop (?!constraint|not null|default|identity|expression)/.test(statement);
  return isLoss ? [`removes or renames without contracts: ${statement}`] : [];
}

/** Actions of `alter table` on a table that is in use. */
function actionsOn(statement: string, fresh: ReadonlySet<string>): string[] {
  const [, table = '', actions = ''] = /^alter table (?:only )?(?:if exists )?(\w+) (.*)$/.exec(statement) ?? [];
  return table === '' || fresh.has(table) ? [] : actions.split(', ');
}

function evaluateAction(action: string): string[] {
  const has = (pattern: RegExp) => pattern.test(action);
  const faults = {
    'the previous version writes rows without it':
      has(/^add (?:column )?(?!constraint)/) && has(/not null/) && !has(/default|generated/),
    'a table is rewritten under its lock':
      has(/^alter (?:column )?\w+ (?:set data )?type/) || has(/generated always .* stored/) || has(/set expression/),
    'every row is checked under its lock, without "not valid"':
      has(/^add (?:constraint \w+ )?(?:check|foreign key)/) && !has(/not valid/),
    'every row is checked under its lock': has(/^alter (?:column )?\w+ set not null/),
    'an index is built under its lock':
      has(/^add (?:constraint \w+ )?(?:unique|primary key|exclude)/) && !has(/using index/),
  };
  return Object.entries(faults).flatMap(([fault, isSo]) => (isSo ? [`${fault}: ${action}`] : []));
}
