/**
 * Moves sealed certificates into the storage. Every pets-api does the same in the background; the command does it now, and
 * shows how far it is. It may be interrupted, repeated, and run several times at once. With `--again`, pets-api also writes
 * uploaded certificates and those of the platform again, in the background.
 */
import { createLogger, openFileStorage } from '@pets/platform';
import { CertificateObjectsRepository } from '../../certificates/certificate-objects.repository.js';
import { CertificateObjects } from '../../certificates/certificate-objects.service.js';
import { AdminError, setting, type AdminCommands, type AdminContext } from './command.js';

const BATCH = 200;
/** Certificates that fail come last at the next try. */
const MAX_FAILURES = 3;

export function certificateObjectCommands(context: AdminContext): AdminCommands {
  const repository = new CertificateObjectsRepository(context.db);
  return {
    'certificates move': {
      usage: '[--limit N] [--again] [--status]',
      run: async ({ limit, again, status }) => {
        if (status !== undefined) return repository.count();
        const wanted = limitOf(limit);
        const { objects } = await certificateObjectsOf(context);
        if (again !== undefined) await expireAll(repository);
        let moved = 0;
        while (moved < wanted) {
          const batch = await objects.writeLeft(Math.min(BATCH, wanted - moved));
          if (batch === 0) break;
          moved += batch;
        }
        return { moved, ...(await repository.count()) };
      },
    },
  };
}

/** What writes objects in the background too, and `rewrite`, which writes all it can and returns how many are left. */
export async function certificateObjectsOf({ db, config }: AdminContext) {
  const storage = await openFileStorage(setting(config, 'STORAGE_URL'));
  const repository = new CertificateObjectsRepository(db);
  const objects = new CertificateObjects(storage, repository, createLogger('admin', 'silent'));
  const rewrite = async (): Promise<number> => {
    let failures = 0;
    const writeSome = () =>
      objects.writeLeft(BATCH).catch(() => {
        failures += 1; // the result says how many are left
        return 1;
      });
    while (failures < MAX_FAILURES && (await writeSome()) > 0);
    return repository.countLeft();
  };
  return { objects, rewrite };
}

async function expireAll(repository: CertificateObjectsRepository): Promise<void> {
  let last: string | null = null;
  do last = await repository.expire(last, BATCH);
  while (last !== null);
  await repository.expireOthers();
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return Infinity;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new AdminError('--limit must be a whole number from 1');
  return Number(value);
}
