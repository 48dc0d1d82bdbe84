import type { SetupLogo } from '@pets/contracts';
import type { Config } from '../platform/config.js';
import { dashboardOriginOf } from '../platform/dashboard-origin.js';
import type { LogoRow } from './setup-pages.repository.js';

/** A logo with its address, which is at the origin of the page that shows it. */
export function presentLogo(
  { hash, width, height }: LogoRow,
  config: Pick<Config, 'DASHBOARD_ORIGIN' | 'PUBLIC_URL'>,
): SetupLogo {
  return { url: `${dashboardOriginOf(config)}/setup/logos/${hash}.webp`, width, height };
}
