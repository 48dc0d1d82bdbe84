import { limitNames, plans, type LimitName } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { AuditLog } from '../../access/audit/audit-log.js';
import { LimitsRepository, type LimitRow } from '../../access/limits/limits.repository.js';
import { OrganizationsRepository } from '../../access/organizations/organizations.repository.js';
import { AdminError, idOf, planOf, required, type AdminCommands, type AdminContext } from './command.js';

/** The limits of plans and organizations. A change applies to requests within a second. */
export function limitCommands({ db }: AdminContext): AdminCommands {
  const limits = new LimitsRepository(db);
  const organizations = new OrganizationsRepository(db);
  const organizationOf = async (option: string | undefined): Promise<string> => {
    const organizationId = idOf('organization', option);
    if (!(await organizations.exists(organizationId)))
      throw new AdminError(`there is no organization ${organizationId}`);
    return organizationId;
  };
  return {
    'limits list': {
      usage: '--organization ID',
      run: async ({ organization }) => {
        const organizationId = await organizationOf(organization);
        const { plan } = await organizations.get(organizationId);
        const sources = {
          organization: await limits.listOfOrganization(organizationId),
          plan: await limits.listOfPlan(plan),
        };
        return { organizationId, plan, limits: describe(sources) };
      },
    },
    'limits set': {
      usage: '--organization ID --name NAME --value N',
      run: async ({ organization, name, value }) => {
        const limit = nameOf(name);
        const wanted = valueOf(name, value);
        const organizationId = await organizationOf(organization);
        await db.transaction().execute(async (tx) => {
          await new LimitsRepository(tx).setForOrganization(organizationId, limit, wanted);
          await recordLimit(tx, organizationId, { limit, value: wanted });
        });
        return { organizationId, name: limit, value: wanted };
      },
    },
    'limits unset': {
      usage: '--organization ID --name NAME',
      run: async ({ organization, name }) => {
        const limit = nameOf(name);
        const organizationId = await organizationOf(organization);
        await db.transaction().execute(async (tx) => {
          await new LimitsRepository(tx).unsetForOrganization(organizationId, limit);
          await recordLimit(tx, organizationId, { limit, value: null });
        });
        return { organizationId, name: limit, unset: true };
      },
    },
    'plan limits list': {
      usage: `--plan ${plans.join('|')}`,
      run: async ({ plan }) => ({
        plan: planOf(plan),
        limits: describe({ plan: await limits.listOfPlan(planOf(plan)) }),
      }),
    },
    'plan limits set': {
      usage: `--plan ${plans.join('|')} --name NAME --value N`,
      run: async ({ plan, name, value }) => {
        const changedPlan = planOf(plan);
        const limit = nameOf(name);
        const wanted = valueOf(name, value);
        await limits.setForPlan(changedPlan, limit, wanted);
        return { plan: changedPlan, name: limit, value: wanted };
      },
    },
    'plan limits unset': {
      usage: `--plan ${plans.join('|')} --name NAME`,
      run: async ({ plan, name }) => {
        const changedPlan = planOf(plan);
        const limit = nameOf(name);
        if (!(limit in settingOf)) throw new AdminError(`${limit} has no setting to fall back on; set another value`);
        await limits.unsetForPlan(changedPlan, limit);
        return { plan: changedPlan, name: limit, unset: true };
      },
    },
  };
}

/** A value of null means the limit of the plan. */
async function recordLimit(tx: Tx, organizationId: string, detail: { limit: LimitName; value: number | null }) {
  const subject = { kind: 'organization', id: organizationId } as const;
  await new AuditLog().record(tx, { organizationId, type: 'organization.limit_changed', subject, detail });
}

/** The settings behind limits without a row. */
const settingOf: Partial<Record<LimitName, string>> = {
  requestsPerMinute: 'RATE_LIMIT_PER_MINUTE',
  eventStreams: 'EVENT_STREAMS_PER_KEY',
};

/** Each limit with its value and its source. @param sources in order of precedence */
function describe(sources: Readonly<Record<string, readonly LimitRow[]>>): object[] {
  return limitNames.map((name) => {
    for (const [from, rows] of Object.entries(sources)) {
      const row = rows.find((each) => each.name === name);
      if (row !== undefined) return { name, value: row.value, from };
    }
    return { name, value: null, from: settingOf[name] ?? 'nothing: it allows 0' };
  });
}

function nameOf(value: string | undefined): LimitName {
  const name = limitNames.find((known) => known === required('name', value));
  if (name === undefined) throw new AdminError(`--name must be one of ${limitNames.join(', ')}`);
  return name;
}

/** The API describes bytes as 64-bit integers and all other limits as 32-bit ones. */
const byteLimits: ReadonlySet<string> = new Set<LimitName>(['storageBytes', 'databaseBytes', 'importBytesPerDay']);
const MAX_BYTES = Number.MAX_SAFE_INTEGER;
const MAX_COUNT = 2 ** 31 - 1;

function valueOf(name: string | undefined, text: string | undefined): number {
  const least = name === 'requestsPerMinute' ? 1 : 0;
  const most = name !== undefined && byteLimits.has(name) ? MAX_BYTES : MAX_COUNT;
  const written = required('value', text);
  const value = Number(written);
  if (!/^\d{1,16}$/.test(written) || value < least || value > most)
    throw new AdminError(`--value must be a whole number from ${least} to ${most}`);
  return value;
}
