import { Inject, Injectable } from '@nestjs/common';
import type { NewSetupPage, SetupLogo } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { Config } from '../platform/config.js';
import { dashboardOriginOf } from '../platform/dashboard-origin.js';
import { DATABASE } from '../platform/providers.js';

/** The image of an organization, without its bytes. */
interface LogoRow {
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
  readonly width: number;
  readonly height: number;
}

interface SetupPageRow extends NewSetupPage {
  readonly logo: LogoRow | null;
}

const unset: SetupPageRow = { name: null, color: null, supportAddress: null, returnOrigins: [], logo: null };
const noLogo = { logo: null, logo_hash: null, logo_width: null, logo_height: null } as const;

/** The look of the set-up pages of organizations. */
@Injectable()
export class SetupPagesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async read(organizationId: string, db: Database = this.db): Promise<SetupPageRow> {
    const row = await db
      .selectFrom('setup_pages')
      .select(['name', 'color', 'support_address as supportAddress', 'return_origins as returnOrigins'])
      .select(['logo_hash as hash', 'logo_width as width', 'logo_height as height'])
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) return unset;
    const { hash, width, height, returnOrigins, ...page } = row;
    const logo = hash === null || width === null || height === null ? null : { hash, width, height };
    return { ...page, returnOrigins: [...returnOrigins], logo };
  }

  /** Changes everything but the logo. */
  async write(db: Database, organizationId: string, page: NewSetupPage): Promise<void> {
    const { name, color, supportAddress: support_address, returnOrigins: return_origins } = page;
    const row = { name, color, support_address, return_origins };
    await db
      .insertInto('setup_pages')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
  }

  /** Puts a logo in the place of the one before. */
  async writeLogo(db: Database, organizationId: string, logo: LogoRow & { readonly bytes: Buffer }): Promise<void> {
    const row = { logo: logo.bytes, logo_hash: logo.hash, logo_width: logo.width, logo_height: logo.height };
    await db
      .insertInto('setup_pages')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
  }

  /** @returns whether there was one */
  async removeLogo(db: Database, organizationId: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('setup_pages')
      .set(noLogo)
      .where('organization_id', '=', organizationId)
      .where('logo_hash', 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The bytes of a logo, of whichever organization that has it; null if none has. */
  async findLogo(hash: string): Promise<Buffer | null> {
    const row = await this.db.selectFrom('setup_pages').select('logo').where('logo_hash', '=', hash).executeTakeFirst();
    return row?.logo ?? null;
  }
}

/** A logo with its address, which is at the origin of the page that shows it. */
export function presentLogo(
  { hash, width, height }: LogoRow,
  config: Pick<Config, 'DASHBOARD_ORIGIN' | 'PUBLIC_URL'>,
): SetupLogo {
  return { url: `${dashboardOriginOf(config)}/setup/logos/${hash}.webp`, width, height };
}
