import { newInvitationSchema, plans, roles, scopes, type NewInvitation } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { ApiKeysRepository } from '../../access/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../../access/api-keys/api-keys.service.js';
import { PrincipalCache } from '../../access/api-keys/authenticator.js';
import { AuditLog } from '../../access/audit/audit-log.js';
import { LimitsService } from '../../access/limits/limits.service.js';
import { OrganizationsRepository } from '../../access/organizations/organizations.repository.js';
import { InvitationsRepository } from '../../access/people/invitations.repository.js';
import { InvitationsService, invitationUrl } from '../../access/people/invitations.service.js';
import { settingsSchema } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { AdminError, idOf, planOf, required, type AdminCommands, type AdminContext } from './command.js';

export function organizationCommands({ db, config }: AdminContext): AdminCommands {
  const organizations = new OrganizationsRepository(db);
  const audit = new AuditLog();
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

/** The first owner of an organization has nobody else who could invite them. */
export function invitationCommands({ db, config }: AdminContext): AdminCommands {
  const organizations = new OrganizationsRepository(db);
  // The limit of invitations is a constant: these are never read.
  const limits = new LimitsService(db, { RATE_LIMIT_PER_MINUTE: 0, EVENT_STREAMS_PER_KEY: 0 });
  const keys = new ApiKeysRepository(db);
  const invitations = new InvitationsService(new InvitationsRepository(db), keys, limits, new AuditLog(), db);
  return {
    invite: {
      usage: `--organization ID --name NAME [--role ${roles.join('|')}]`,
      run: async ({ organization, name, role: wanted = 'owner' }) => {
        const organizationId = idOf('organization', organization);
        const invitation = invitationOf(required('name', name), wanted);
        if (!(await organizations.exists(organizationId)))
          throw new AdminError(`there is no organization ${organizationId}`);
        const origin = originOf(config);
        const { token, row } = await invitations
          .create(db, organizationId, null, invitation, new Date())
          .catch((error: unknown) => {
            throw error instanceof RequestError ? new AdminError(error.message) : error;
          });
        return { url: invitationUrl(origin, token), role: invitation.role, expiresAt: row.expiresAt.toISOString() };
      },
    },
  };
}

/** Parses an invitation with the same limits as the API. */
function invitationOf(name: string, wanted: string): NewInvitation {
  const role = roles.find((known) => known === wanted);
  if (role === undefined) throw new AdminError(`--role must be one of ${roles.join(', ')}`);
  const { data, error } = newInvitationSchema.safeParse({ name, role });
  if (data === undefined) throw new AdminError(`--name ${error.issues[0]?.message}`);
  return data;
}

/** Outside development, the default address would make a link that leads nowhere. */
function originOf({ ENVIRONMENT, PUBLIC_URL = DEFAULT_URL, DASHBOARD_ORIGIN }: AdminContext['config']): string {
  if (ENVIRONMENT !== 'development' && DASHBOARD_ORIGIN === undefined && PUBLIC_URL === DEFAULT_URL)
    throw new AdminError('Set PUBLIC_URL or DASHBOARD_ORIGIN as for pets-api: the link begins with it.');
  return dashboardOriginOf({ PUBLIC_URL, DASHBOARD_ORIGIN });
}

const DEFAULT_URL = settingsSchema.shape.PUBLIC_URL.parse(undefined);
