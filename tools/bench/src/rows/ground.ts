import type { Database } from '@pets/persistence';
import type pg from 'pg';
import type { EngineFixture } from '../engine/engine-fixture.js';

/** The database that is filled, and what pets-api needs beside it. */
export interface RowsGround {
  readonly fixture: EngineFixture;
  readonly client: pg.Client;
  readonly db: Database;
}
