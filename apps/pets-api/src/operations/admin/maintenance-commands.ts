import type { KeyRing } from '@pets/platform';
import { EdgeFeedRepository } from '../../edge/edge-feed.repository.js';
import { listKeys, rewrapKeys } from '../../platform/encryption-keys/rewrap-keys.js';
import { DeprecatedCallsRepository } from '../../store/pets/deprecated-calls.counter.js';
import { findAddressFaults } from './address-findings.js';
import { certificateObjectsOf } from './certificate-commands.js';
import { AdminError, required, type AdminCommands, type AdminContext } from './command.js';
import { findUnsafeSettings } from './unsafe-settings.js';

/** Commands for the installation: its settings, edges and their feed, key-encryption keys, calls of deprecated operations. */
export function maintenanceCommands({ db, config }: AdminContext): AdminCommands {
  const feed = new EdgeFeedRepository(db);
  return {
    check: {
      usage: '',
      run: async () => {
        const findings = [...findUnsafeSettings(config), ...(await findAddressFaults({ db, config }))];
        return { ok: findings.every(({ severity }) => severity !== 'error'), findings };
      },
    },
    'edges list': { usage: '', run: async () => ({ edges: await feed.list() }) },
    'edges forget': {
      usage: '--edge ID',
      run: async ({ edge }) => {
        const edgeId = required('edge', edge);
        if (!(await feed.forget(edgeId))) throw new AdminError(`there is no edge ${edgeId}`);
        return { forgotten: edgeId };
      },
    },
    'feed rotate-epoch': { usage: '', run: async () => ({ epoch: await feed.rotateEpoch() }) },
    'keys list': { usage: '', run: async () => ({ keys: await listKeys(db, ringOf(config)) }) },
    'keys rewrap': {
      usage: '',
      run: async () => {
        const ring = ringOf(config);
        const { rewrite } = await certificateObjectsOf({ db, config });
        const result = await rewrapKeys(db, ring, rewrite);
        await feed.publishOriginHeaders();
        return result;
      },
    },
    'deprecated-calls list': {
      usage: '',
      run: async () => ({ deprecatedCalls: await new DeprecatedCallsRepository(db).list() }),
    },
  };
}

function ringOf({ CERTIFICATE_KEKS }: AdminContext['config']): KeyRing {
  if (CERTIFICATE_KEKS === undefined) throw new AdminError('CERTIFICATE_KEKS: is required');
  return CERTIFICATE_KEKS;
}
