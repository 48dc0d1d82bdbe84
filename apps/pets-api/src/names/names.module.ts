import { Module } from '@nestjs/common';
import { BlockedNamesRepository } from './blocked-names.repository.js';
import { DomainCountsRepository } from './domain-counts.repository.js';
import { DomainHistoryRepository } from './domain-history.repository.js';
import { DomainsRepository } from './domains.repository.js';
import { PublicAddresses, PublicAddressesRepository } from './public-addresses.js';
import { WildcardExclusionsRepository } from './wildcard-exclusions.repository.js';

/** Rows of domains and of what belongs to a name: claims, blocks, exclusions, history, public addresses. It decides nothing. */
@Module({
  providers: [
    BlockedNamesRepository,
    DomainCountsRepository,
    DomainHistoryRepository,
    DomainsRepository,
    PublicAddresses,
    PublicAddressesRepository,
    WildcardExclusionsRepository,
  ],
  exports: [
    BlockedNamesRepository,
    DomainCountsRepository,
    DomainHistoryRepository,
    DomainsRepository,
    PublicAddresses,
    WildcardExclusionsRepository,
  ],
})
export class NamesModule {}
