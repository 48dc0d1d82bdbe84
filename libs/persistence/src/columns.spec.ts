import { describe, expect, it } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { assignments, camelCase, recordset, selectList } from './columns.js';

const db = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (on) => new PostgresIntrospector(on),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

describe('columns', () => {
  it.each([
    ['id', 'id'],
    ['organization_id', 'organizationId'],
    ['generation_began_at', 'generationBeganAt'],
  ])('are named as the code spells them: %s', (column, field) => expect(camelCase(column)).toBe(field));

  it('are listed for a select', () => {
    expect(sql`${selectList('d', ['id', 'live_at'])}`.compile(db).sql).toBe('d.id as "id", d.live_at as "liveAt"');
  });

  it('are set from a row', () => {
    expect(sql`${assignments(['state', 'live_at'], 'n')}`.compile(db).sql).toBe(
      'state = n."state", live_at = n."liveAt"',
    );
  });

  it('make a table of rows, without the fields that have none', () => {
    const rows = [{ id: 'a', liveAt: new Date(0), secret: 1n }];
    const query = sql`${recordset('n', { id: 'uuid', liveAt: 'timestamptz' }, rows)}`.compile(db);
    expect(query.sql).toBe('jsonb_to_recordset($1::jsonb) as n ("id" uuid, "liveAt" timestamptz)');
    expect(query.parameters).toEqual(['[{"id":"a","liveAt":"1970-01-01T00:00:00.000Z"}]']);
  });
});
