/**
 * One organization imports very many names, and another clicks: it verifies a name, or adds one. Clicks are timed on the idle
 * system and during imports, whose first DNS checks run at the same time. The names come in parts, and idle periods and
 * imports take turns, so that both are of the same minutes of the machine. Then other imports remove the names.
 */
import pg from 'pg';
import { startStack } from '@pets/lab';
import { settings } from '../settings.js';
import { quantile, type Figure } from '../figure.js';
import {
  createProject,
  runClicks,
  runImport,
  seedClicks,
  untilChecked,
  type ClickedTenant,
  type Clicks,
  type ImportingTenant,
} from './tenants.js';

const PARTS = 5;
/** Between two parts. */
const IDLE_MS = 20_000;
/** 100 000 rows in ten minutes. */
const ROWS_A_SECOND_BAR = 167;
/** Clicks may take twice as long as on the idle system. */
const CLICK_BAR = 0.5;

export async function benchBulk(): Promise<readonly Figure[]> {
  const stack = await startStack({ processes: ['api', 'worker'], onLine: warn });
  const { url } = stack.api;
  const db = new pg.Pool({ connectionString: stack.postgres.url });
  try {
    const [importing, clicking] = [stack.createTenant('enterprise'), stack.createTenant('enterprise')];
    const { names, projectId } = await seedClicks(db, clicking.organizationId);
    const importedTo = await createProject(db, importing.organizationId);
    return await measure(
      { ...importing, db, url, projectId: importedTo },
      { db, url, apiKey: clicking.apiKey, names, projectId },
    );
  } finally {
    await db.end();
    await stack.close();
  }
}

async function measure(importing: ImportingTenant, clicking: ClickedTenant): Promise<readonly Figure[]> {
  await runClicks(clicking, { forMs: 5_000 }); // warm
  const added = await measureImports(importing, clicking, 'add');
  const removed = await measureImports(importing, clicking, 'remove');
  return [
    { name: 'bulk/added-rows-a-second', ratio: added.rowsASecond, bar: ROWS_A_SECOND_BAR },
    ...clickFigures('import', added, CLICK_BAR),
    { name: 'bulk/removed-rows-a-second', ratio: removed.rowsASecond, bar: ROWS_A_SECOND_BAR },
    ...clickFigures('removal', removed, CLICK_BAR),
  ];
}

interface Measured {
  readonly rowsASecond: number;
  readonly idle: Clicks;
  readonly busy: Clicks;
}

async function measureImports(
  importing: ImportingTenant,
  clicking: ClickedTenant,
  action: 'add' | 'remove',
): Promise<Measured> {
  const part = Math.ceil(settings.BENCH_BULK_ROWS / PARTS);
  const idle: Clicks = { verify: [], add: [] };
  const busy: Clicks = { verify: [], add: [] };
  let tookMs = 0;
  for (let nth = 0; nth < PARTS; nth += 1) {
    await runClicks(clicking, { forMs: IDLE_MS, into: idle });
    const names = Array.from({ length: part }, (_, index) => `shop.bulk${nth * part + index}.com`);
    const controller = new AbortController();
    const beganMs = performance.now();
    const [partMs] = await Promise.all([
      runImport(importing, names, action).finally(() => controller.abort()),
      runClicks(clicking, { signal: controller.signal, into: busy }),
    ]);
    tookMs += partMs;
    await untilChecked(importing);
    print(
      `${action}: ${part} rows in ${seconds(partMs)} s, each with its first check after ${seconds(performance.now() - beganMs)} s`,
    );
  }
  return { rowsASecond: (part * PARTS * 1_000) / tookMs, idle, busy };
}

function clickFigures(during: string, { idle, busy }: Measured, bar: number): readonly Figure[] {
  return (['verify', 'add'] as const).map((kind) => {
    const [idleMs, busyMs] = [quantile(idle[kind], 0.95), quantile(busy[kind], 0.95)];
    const medians = `median ${quantile(idle[kind], 0.5).toFixed(0)} and ${quantile(busy[kind], 0.5).toFixed(0)} ms`;
    print(
      `${kind} p95 ${idleMs.toFixed(0)} ms idle, ${busyMs.toFixed(0)} ms in the ${during} (${medians}, ${idle[kind].length} and ${busy[kind].length} clicks)`,
    );
    return { name: `bulk/${kind}-p95-idle-to-${during}`, ratio: idleMs / busyMs, bar };
  });
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
