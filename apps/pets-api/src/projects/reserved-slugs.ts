import { Inject, Injectable } from '@nestjs/common';
import { findReservation, MAX_LABEL_LENGTH, platformLabels, type LocalReservations } from '@pets/domains';
import { RequestError } from '@pets/platform';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';

/** Settings whose URLs may have hosts below the platform domain. */
const urlSettings = {
  PUBLIC_URL: true,
  PRODUCTION_URL: true,
  STAGING_URL: true,
  STORAGE_URL: true,
  ACME_DIRECTORY_URLS: true,
  DATABASE_URL: true,
  DATABASE_SESSION_URL: true,
  REDIS_URL: true,
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
} as const satisfies Partial<Record<keyof Config, true>>;

/** The settings that decide which names are reserved in this installation. */
export const reservationSettings = {
  PLATFORM_DOMAIN: true,
  RESERVED_NAMES: true,
  ACME_DNS_ZONE: true,
  ...urlSettings,
} as const;

type ReservationConfig = Pick<Config, 'PLATFORM_DOMAIN'> & Partial<Pick<Config, keyof typeof reservationSettings>>;

/** The names that this installation reserves, in addition to those that every installation reserves. */
export function localReservations(config: ReservationConfig): LocalReservations {
  const names = Object.keys(urlSettings) as (keyof typeof urlSettings)[]; // the keys of a constant
  const zone = config.ACME_DNS_ZONE === undefined ? [] : [`https://${config.ACME_DNS_ZONE}`];
  const urls = [...names.flatMap((name) => config[name] ?? []), ...zone];
  return {
    platformLabels: platformLabels(config.PLATFORM_DOMAIN, urls),
    extraNames: (config.RESERVED_NAMES ?? []).map((name) => name.toLowerCase()),
  };
}

const SUFFIX = '-site';

@Injectable()
export class ReservedSlugs {
  private readonly local: LocalReservations;

  constructor(@Inject(CONFIG) config: Config) {
    this.local = localReservations(config);
  }

  /** Whether a label below the platform domain is reserved. */
  isReserved(label: string): boolean {
    return findReservation(label, this.local) !== null;
  }

  /** @throws RequestError `name_reserved` */
  requireUnreserved(slug: string): void {
    if (!this.isReserved(slug)) return;
    const other = slug.slice(0, MAX_LABEL_LENGTH - SUFFIX.length) + SUFFIX;
    throw RequestError.ofField(
      'name_reserved',
      'slug',
      `"${slug}" is reserved. Choose another name, such as "${other}".`,
    );
  }
}
