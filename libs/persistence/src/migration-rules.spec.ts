import { describe, expect, it } from '@jest/globals';
import { findMigrationFaults, type JudgedMigration } from './migration-rules.js';

const judge = (statements: readonly string[], says: Partial<JudgedMigration> = {}) =>
  findMigrationFaults({ statements, isContract: false, isConcurrent: false, ...says });

describe('a migration may', () => {
  it.each([
    ['create a table with indexes', ['create table a (id int primary key)', 'create unique index a_by_id on a (id)']],
    ['add a column that may be missing', ['alter table pets add column color text']],
    ['add a column that has a value', ['alter table pets add column color text not null default $$drop$$']],
    ['add several', [`alter table pets add column a text, add column b text check (b in ('drop', 'rename'))`]],
    ['add a constraint that looks at new rows', ['alter table pets add constraint c check (a > 0) not valid']],
    ['look at the old rows without a lock', ['alter table pets validate constraint c']],
    ['let go of a constraint', ['alter table pets drop constraint c, alter column a drop not null']],
    ['make a function', ['create function f() returns int language sql as $$ select 1; drop table pets $$']],
  ])('%s', (_name, statements) => expect(judge(statements)).toEqual([]));

  it('take away what it says nobody uses', () => {
    const statements = ['alter table pets drop column color', 'drop table colors'];
    expect(judge(statements, { isContract: true })).toEqual([]);
  });

  it('build an index on a table in use concurrently, and anew where it broke off', () => {
    const statements = ['drop index concurrently if exists i', 'create index concurrently i on pets (name)'];
    expect(judge(statements, { isConcurrent: true })).toEqual([]);
  });
});

describe('a migration may not', () => {
  it.each([
    ['index a table in use', 'create index i on pets (name)', 'is not built concurrently'],
    ['drop a column', 'alter table pets drop column color', 'takes away'],
    ['drop a column in short', 'alter table pets drop color', 'takes away'],
    ['rename a column', 'alter table pets rename column color to colour', 'takes away'],
    ['rename a table', 'alter table pets rename to animals', 'takes away'],
    ['drop a table', 'DROP TABLE pets', 'takes away'],
    ['drop a function', 'drop function tell_endpoints', 'takes away'],
    ['empty a table', 'truncate pets', 'takes away'],
    ['ask for a column that nobody writes yet', 'alter table pets add column a text not null', 'writes rows without'],
    ['change a type', 'alter table pets alter column name type varchar(10)', 'written anew'],
    ['compute a column', 'alter table pets add column b int generated always as (a + 1) stored', 'written anew'],
    ['compute a column anew', 'alter table pets alter column b set expression as (a + 2)', 'written anew'],
    ['check every row', 'alter table pets add constraint c check (a > 0)', 'without "not valid"'],
    ['check every reference', 'alter table a add foreign key (b) references c', 'without "not valid"'],
    ['forbid null in what is there', 'alter table pets alter column a set not null', 'looked at'],
    ['make what is there unique', 'alter table pets add constraint u unique (name)', 'an index is built'],
  ])('%s', (_name, statement, fault) => expect(judge([statement])).toEqual([expect.stringContaining(fault)]));

  it('build concurrently without saying so, or on what broke off', () => {
    expect(judge(['create index concurrently i on pets (name)'])).toEqual([
      'index i is built concurrently, and the migration does not say isConcurrent',
      'index i has no "drop index concurrently if exists i" before it',
    ]);
  });
});
