import { describe, expect, it } from '@jest/globals';
import { findMigrationFaults, type CheckedMigration } from './migration-rules.js';

const faultsOf = (statements: readonly string[], options: Partial<CheckedMigration> = {}) =>
  findMigrationFaults({ statements, isContract: false, isConcurrent: false, ...options });

describe('a migration may', () => {
  it.each([
    ['create a table with indexes', ['create table a (id int primary key)', 'create unique index a_by_id on a (id)']],
    ['add a nullable column', ['alter table pets add column color text']],
    ['add a column with a default', ['alter table pets add column color text not null default $$drop$$']],
    ['add several columns', [`alter table pets add column a text, add column b text check (b in ('drop', 'rename'))`]],
    ['add a constraint on new rows', ['alter table pets add constraint c check (a > 0) not valid']],
    ['check existing rows without a lock', ['alter table pets validate constraint c']],
    ['drop a constraint', ['alter table pets drop constraint c, alter column a drop not null']],
    ['create a function', ['create function f() returns int language sql as $$ select 1; drop table pets $$']],
  ])('%s', (_name, statements) => expect(faultsOf(statements)).toEqual([]));

  it('remove what it declares unused', () => {
    const statements = ['alter table pets drop column color', 'drop table colors'];
    expect(faultsOf(statements, { isContract: true })).toEqual([]);
  });

  it('build an index concurrently on a table in use, and rebuild an interrupted one', () => {
    const statements = ['drop index concurrently if exists i', 'create index concurrently i on pets (name)'];
    expect(faultsOf(statements, { isConcurrent: true })).toEqual([]);
  });
});

describe('a migration may not', () => {
  it.each([
    ['index a table in use', 'create index i on pets (name)', 'is not built concurrently'],
    ['drop a column', 'alter table pets drop column color', 'removes or renames'],
    ['drop a column without the keyword', 'alter table pets drop color', 'removes or renames'],
    ['rename a column', 'alter table pets rename column color to colour', 'removes or renames'],
    ['rename a table', 'alter table pets rename to animals', 'removes or renames'],
    ['drop a table', 'DROP TABLE pets', 'removes or renames'],
    ['drop a function', 'drop function enqueue_deliveries', 'removes or renames'],
    ['empty a table', 'truncate pets', 'removes or renames'],
    [
      'require a column that the previous version does not write',
      'alter table pets add column a text not null',
      'writes rows without',
    ],
    ['change a type', 'alter table pets alter column name type varchar(10)', 'rewritten'],
    ['compute a column', 'alter table pets add column b int generated always as (a + 1) stored', 'rewritten'],
    ['change a computed column', 'alter table pets alter column b set expression as (a + 2)', 'rewritten'],
    ['check every row', 'alter table pets add constraint c check (a > 0)', 'without "not valid"'],
    ['check every reference', 'alter table a add foreign key (b) references c', 'without "not valid"'],
    ['forbid null in existing rows', 'alter table pets alter column a set not null', 'every row is checked'],
    ['make existing rows unique', 'alter table pets add constraint u unique (name)', 'an index is built'],
  ])('%s', (_name, statement, fault) => expect(faultsOf([statement])).toEqual([expect.stringContaining(fault)]));

  it('build concurrently without isConcurrent, or over an interrupted build', () => {
    expect(faultsOf(['create index concurrently i on pets (name)'])).toEqual([
      'index i is built concurrently, and the migration does not say isConcurrent',
      'index i has no "drop index concurrently if exists i" before it',
    ]);
  });
});
