import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config.js';
import type { Principal } from '../http/principal.js';
import { CONFIG } from '../providers.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { displayOf, generateApiKey, hashApiKey, isWellFormedKey, keyPrefixOf, type KeyPrefix } from './key-format.js';

@Injectable()
export class ApiKeysService {
  private readonly prefix: KeyPrefix;

  constructor(
    private readonly keys: ApiKeysRepository,
    @Inject(CONFIG) config: Pick<Config, 'ENVIRONMENT'>,
  ) {
    this.prefix = keyPrefixOf(config.ENVIRONMENT);
  }

  /** Who a key belongs to; null for one that is malformed, of another environment, unknown or revoked. */
  async findPrincipal(key: string): Promise<Principal | null> {
    return isWellFormedKey(key, this.prefix) ? this.keys.findPrincipal(hashApiKey(key)) : null;
  }

  /** Makes a key. This is the only time that it can be seen. */
  async create(organizationId: string, name: string): Promise<string> {
    const key = generateApiKey(this.prefix);
    await this.keys.insert({ organizationId, name, hash: hashApiKey(key), display: displayOf(key) });
    return key;
  }
}
