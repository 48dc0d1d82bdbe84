import { scopes, type Scope } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { ApiKeysRepository } from '../../access/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../../access/api-keys/api-keys.service.js';
import { PrincipalCache } from '../../access/api-keys/authenticator.js';
import { AuditLog } from '../../access/audit/audit-log.js';
import { OrganizationsRepository } from '../../access/organizations/organizations.repository.js';
import { BEFORE_ALL } from '../../http/paging/pages.js';
import { AdminError, idOf, required, type AdminCommands, type AdminContext } from './command.js';

export function apiKeyCommands({ db, config }: AdminContext): AdminCommands {
  const organizations = new OrganizationsRepository(db);
  const keyRows = new ApiKeysRepository(db);
  const keys = new ApiKeysService(keyRows, new PrincipalCache(), config, new AuditLog(), db);
  return {
    'key create': {
      usage: '--organization ID --name NAME [--scopes SCOPE,SCOPE] [--expires-in-days N]',
      run: async ({ organization, name, scopes: wanted, 'expires-in-days': days }) => {
        const grant = {
          organizationId: idOf('organization', organization),
          name: required('name', name),
          scopes: scopesOf(wanted),
          expiresAt: expiryOf(days, new Date()),
        };
        const { organizationId } = grant;
        if (!(await organizations.exists(organizationId)))
          throw new AdminError(`there is no organization ${organizationId}`);
        return { apiKey: (await keys.create(grant)).secret };
      },
    },
    'key list': {
      usage: '--organization ID',
      run: async ({ organization }) => ({ keys: await listAll(keyRows, idOf('organization', organization)) }),
    },
    'key revoke': {
      usage: '--organization ID --key ID',
      run: async ({ organization, key }) => {
        const organizationId = idOf('organization', organization);
        const keyId = idOf('key', key);
        await keys.revoke(organizationId, keyId, new Date()).catch((error: unknown) => {
          if (!(error instanceof RequestError)) throw error;
          throw new AdminError(`the organization has no key ${keyId}`);
        });
        return { revoked: keyId };
      },
    },
  };
}

/** More than an organization can have, including revoked and expired keys. */
const MAX_LISTED = 10_000;

async function listAll(keyRows: ApiKeysRepository, organizationId: string): Promise<object[]> {
  const bounds = { limit: MAX_LISTED, afterId: BEFORE_ALL };
  return [...(await keyRows.list(organizationId, {}, bounds, new Date())).rows];
}

/** Scopes of a key; all of them without the option. */
function scopesOf(value: string | undefined): readonly Scope[] {
  if (value === undefined) return scopes;
  const wanted = new Set(value.split(','));
  const found = scopes.filter((scope) => wanted.has(scope));
  if (found.length !== wanted.size) throw new AdminError(`--scopes must be some of ${scopes.join(',')}`);
  return found;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function expiryOf(days: string | undefined, now: Date): Date | null {
  if (days === undefined) return null;
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new AdminError('--expires-in-days must be a whole number from 1 to 9999');
  return new Date(now.getTime() + Number(days) * DAY_MS);
}
