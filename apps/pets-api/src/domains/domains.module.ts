import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { EdgeModule } from '../edge/edge.module.js';
import { HttpModule } from '../http/http.module.js';
import { NamesModule } from '../names/names.module.js';
import { AddDomainService, DomainAdditions } from './add-domain.service.js';
import { CheckDomainService, ReverifyPolicy } from './check-domain.service.js';
import { DomainAdmission } from './domain-admission.js';
import { DomainBatchesController } from './domain-batches.controller.js';
import { DomainBatchesService } from './domain-batches.service.js';
import { DomainConfigController } from './domain-config.controller.js';
import { DomainConfigService } from './domain-config.service.js';
import { DomainInsertion } from './domain-insertion.js';
import { ChannelBindings, DomainLabels } from './domain-labels.service.js';
import { DomainListsController, DomainsController, ExclusionsController } from './domains.controller.js';
import { DomainListsRepository } from './domain-lists.repository.js';
import { DomainsService } from './domains.service.js';
import { LiftExclusionService } from './lift-exclusion.service.js';
import { DomainImportsController } from './imports/domain-imports.controller.js';
import { DomainImportsRepository } from './imports/domain-imports.repository.js';
import { DomainImports } from './imports/domain-imports.service.js';
import { ImportRunner } from './imports/import-runner.js';
import { DomainMovesController } from './moves/domain-moves.controller.js';
import { DomainMovesRepository, MoveDomainService, MoveRecords } from './moves/move-domain.service.js';
import { OwnCertificateChanges, OwnCertificateLoops } from './own-certificates/own-certificate-changes.js';
import {
  OwnCertificatesController,
  RevocationChecksController,
} from './own-certificates/own-certificates.controller.js';
import { OwnCertificates } from './own-certificates/own-certificates.service.js';
import { PlanChangesLoop, PlanChangesRepository, PlanChangesService } from './plan-changes/plan-changes.service.js';
import { DomainRemovals, RemoveDomainService } from './remove-domain.service.js';
import { StoppingTraffic, StoppingTrafficRepository } from './stopping-traffic.service.js';
import { SuspensionEffects, SuspensionsService } from './suspensions/suspensions.service.js';

/** Requests of owners about domains: add, verify, remove, move, import, exclude; and suspensions. */
@Module({
  controllers: [
    DomainBatchesController,
    DomainConfigController,
    DomainListsController,
    DomainsController,
    ExclusionsController,
    DomainImportsController,
    DomainMovesController,
    OwnCertificatesController,
    RevocationChecksController,
  ],
  providers: [
    AddDomainService,
    ChannelBindings,
    CheckDomainService,
    DomainAdditions,
    DomainAdmission,
    DomainBatchesService,
    DomainConfigService,
    DomainImports,
    DomainImportsRepository,
    DomainInsertion,
    DomainLabels,
    DomainListsRepository,
    DomainMovesRepository,
    DomainRemovals,
    DomainsService,
    ImportRunner,
    LiftExclusionService,
    MoveDomainService,
    MoveRecords,
    OwnCertificateChanges,
    OwnCertificateLoops,
    OwnCertificates,
    PlanChangesLoop,
    PlanChangesRepository,
    PlanChangesService,
    RemoveDomainService,
    ReverifyPolicy,
    StoppingTraffic,
    StoppingTrafficRepository,
    SuspensionEffects,
    SuspensionsService,
  ],
  exports: [CheckDomainService, DomainsService, PlanChangesService],
})
export class DomainsModule {
  /** @param imports the modules that provide projects, the schedule, certificates and the lifecycle */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: DomainsModule, imports: [HttpModule, AccessModule, NamesModule, EdgeModule, ...imports] };
  }
}
