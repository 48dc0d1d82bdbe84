import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database, Pipeline } from '@pets/persistence';
import { addressGroup } from '@pets/platform';
import { sql } from 'kysely';
import { limitRows, LimitsService, type LimitRows } from '../access/limits/limits.service.js';
import { MinuteLimit } from '../access/limits/minute-limit.js';
import { invalidToken } from '../http/bearer-errors.js';
import type { SetupAccess } from '../http/principal.js';
import { isLiveSetupLink } from '../names/live-setup-links.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { deriveKey, sha256 } from '../platform/hashes.js';
import { AUTHENTICATION, CLOCK, CONFIG, DATABASE } from '../platform/providers.js';
import { SetupLinksRepository } from './setup-links.service.js';

/** Validity of a token. The page renews it before. A token read from a browser can be used for so long. */
const VALID_SECONDS = 60 * 60;

const form = /^setup\.([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/;

/** A token of the page of a set-up link. */
interface SetupToken {
  readonly linkId: string;
  readonly expiresAt: Date;
}

/**
 * Signs the tokens of pages of set-up links, which no table has: any replica can check one, and a stranger with a link fills
 * nothing. A token gives access only while its link is live.
 */
class SetupTokens {
  readonly #key: KeyObject;

  constructor(appSecret: string) {
    this.#key = deriveKey(appSecret, 'set-up links');
  }

  /** @param endsAt the end of the link */
  issue(linkId: string, endsAt: Date, now: Date): SetupToken & { readonly token: string } {
    const seconds = Math.floor(Math.min(endsAt.getTime() / 1_000, now.getTime() / 1_000 + VALID_SECONDS));
    const signed = `setup.${linkId}.${seconds}`;
    return { linkId, expiresAt: new Date(seconds * 1_000), token: `${signed}.${this.#macOf(signed)}` };
  }

  /** Null for a token that is malformed, not ours, or expired. */
  read(token: string, now: Date): SetupToken | null {
    const [, linkId, seconds, mac] = form.exec(token) ?? [];
    if (linkId === undefined || seconds === undefined || mac === undefined) return null;
    const expected = this.#macOf(`setup.${linkId}.${seconds}`);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
    const expiresAt = new Date(Number(seconds) * 1_000);
    return expiresAt <= now ? null : { linkId, expiresAt };
  }

  #macOf(signed: string): string {
    return createHmac('sha256', this.#key).update(signed).digest('base64url');
  }
}

/** Requests of one link in a minute, at one replica: a page sends some ten. */
const REQUESTS_OF_LINK = 240;

interface FoundLink {
  readonly organizationId: string;
  readonly projectId: string;
  readonly domainId: string;
  readonly returnUrl: string | null;
  readonly expiresAt: string | Date;
  readonly limitRows: LimitRows;
}

/** Opens set-up links, and says what a token of one gives access to. */
@Injectable()
export class SetupSessions {
  private readonly tokens: SetupTokens;
  private readonly opened: MinuteLimit;
  private readonly used = new MinuteLimit(REQUESTS_OF_LINK, 'Too many requests came with this set-up link.');

  constructor(
    private readonly links: SetupLinksRepository,
    private readonly limits: LimitsService,
    @Inject(CONFIG) { APP_SECRET, SIGN_INS_PER_MINUTE }: Pick<Config, 'APP_SECRET' | 'SIGN_INS_PER_MINUTE'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(AUTHENTICATION) private readonly pipeline: Pipeline,
  ) {
    this.tokens = new SetupTokens(APP_SECRET);
    this.opened = new MinuteLimit(SIGN_INS_PER_MINUTE, 'Too many set-up links were opened from this address.');
  }

  /**
   * Exchanges the token of a link, or one of its page that is still valid, for a new one of its page.
   * @throws RequestError `invalid_api_key` when the link has ended, `rate_limited` for the address
   */
  async open(token: string, address: string | null): Promise<SetupToken & { readonly token: string }> {
    const client = addressGroup(address ?? '');
    this.opened.check(client);
    this.opened.count(client);
    const now = this.clock();
    const renewed = await this.find(token);
    const link =
      renewed === null
        ? await this.links.findByHash(sha256(token), now)
        : { id: renewed.linkId, expiresAt: renewed.expiresAt };
    if (link === null) throw invalidToken('The set-up link has ended, or is not complete.');
    return this.tokens.issue(link.id, link.expiresAt, now);
  }

  /** Finds the access that a token of a page gives; null when it is not valid or its link has ended. */
  async find(token: string): Promise<SetupAccess | null> {
    const now = this.clock();
    const read = this.tokens.read(token, now);
    if (read === null) return null;
    const { linkId } = read;
    this.used.check(linkId);
    this.used.count(linkId);
    const { sql: text, parameters } = sql`
      select l.organization_id as "organizationId", l.project_id as "projectId", l.domain_id as "domainId",
        l.return_url as "returnUrl", l.expires_at as "expiresAt", ${limitRows} as "limitRows"
      from setup_links l join organizations on organizations.id = l.organization_id
      where l.id = ${linkId} and ${isLiveSetupLink(now)}`.compile(this.db);
    const values = parameters.map((value) => (value instanceof Date ? value.toISOString() : String(value)));
    const { rows } = await this.pipeline.query<FoundLink>({ name: 'setup_link', text, values });
    const [found] = rows;
    if (found === undefined) return null;
    const { limitRows: ofOrganization, ...link } = found;
    return { ...link, linkId, limits: this.limits.resolve(ofOrganization), expiresAt: new Date(link.expiresAt) };
  }
}
