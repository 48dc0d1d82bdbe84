import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

export const rowsParts = ['statements', 'long-transaction', 'checks', 'throughput'] as const;

/** Settings of the suite `rows`. */
export const rowsSchema = z.object({
  /** Domains in the tables; a tenth of them first, for the growth. */
  BENCH_ROWS: setting.integer().pipe(z.int().min(100_000)).default(1_000_000),
  /** The parts to run. */
  BENCH_ROWS_PARTS: setting
    .list()
    .pipe(z.array(z.enum(rowsParts)))
    .default([...rowsParts]),
});

export const rowsSettings = loadConfigOrExit(rowsSchema);
