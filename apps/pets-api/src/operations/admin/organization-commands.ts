import { plans, scopes } from '@pets/contracts';
import { ApiKeysRepository } from '../../access/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../../access/api-keys/api-keys.service.js';
import { PrincipalCache } from '../../access/api-keys/principal-cache.js';
import { AuditLog } from '../../access/audit/audit-log.js';
import { OrganizationsRepository } from '../../access/organizations/organizations.repository.js';
import { AdminError, idOf, planOf, required, type AdminCommands, type AdminContext } from './command.js';

export function organizationCommands({ db, config }: AdminContext): AdminCommands {
  const organizations = new OrganizationsRepository(db);
  const audit = new AuditLog(db);
  const keys = new ApiKeysService(new ApiKeysRepository(db), new PrincipalCache(), config, audit, db);
  return {
    'organization create': {
      usage: `--name NAME --plan ${plans.join('|')} [--key-name NAME]`,
      run: async ({ name, plan, 'key-name': keyName }) => {
        const detail = { name: required('name', name), plan: planOf(plan) };
        return db.transaction().execute(async (tx) => {
          const organizationId = await organizations.insert(detail.name, detail.plan, tx);
          await audit.record(tx, { ...eventOn(organizationId), type: 'organization.created', detail });
          if (keyName === undefined) return { organizationId };
          const { secret } = await keys.create({ organizationId, name: keyName, scopes, expiresAt: null }, tx);
          return { organizationId, apiKey: secret };
        });
      },
    },
    'plan set': {
      usage: `--organization ID --plan ${plans.join('|')}`,
      run: async ({ organization, plan }) => {
        const organizationId = idOf('organization', organization);
        const wanted = planOf(plan);
        await db.transaction().execute(async (tx) => {
          if (!(await organizations.setPlan(organizationId, wanted, tx)))
            throw new AdminError(`there is no organization ${organizationId}`);
          const event = { ...eventOn(organizationId), type: 'organization.plan_changed' } as const;
          await audit.record(tx, { ...event, detail: { plan: wanted } });
        });
        return { organizationId, plan: wanted };
      },
    },
  };
}

function eventOn(organizationId: string) {
  return { organizationId, subject: { kind: 'organization', id: organizationId } } as const;
}
