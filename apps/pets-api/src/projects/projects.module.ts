import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { BundleStorage } from './deployments/bundle-storage.service.js';
import { BundlesRepository } from './deployments/bundles.repository.js';
import { DeploymentCollection } from './deployments/deployment-collection.service.js';
import { DeploymentRegistration } from './deployments/deployment-registration.service.js';
import { DeploymentsController } from './deployments/deployments.controller.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { DeploymentsSweeper } from './deployments/deployments.sweeper.js';
import { IdleObjects } from './deployments/idle-objects.service.js';
import { ServedDeployments } from './deployments/served-deployments.service.js';
import { SiteIndexBuilder } from './deployments/site-index.service.js';
import { StoredObjectsRepository } from './deployments/stored-objects.repository.js';
import { UploadSlots } from './deployments/upload-slots.js';
import { UploadSpace } from './deployments/upload-space.js';
import { UploadsSweeper } from './deployments/uploads.sweeper.js';
import { OriginTests } from './origins/origin-tests.service.js';
import { OriginsController } from './origins/origins.controller.js';
import { OriginsRepository } from './origins/origins.repository.js';
import { OriginsService } from './origins/origins.service.js';
import { ProjectPresenter } from './project-presenter.js';
import { ProjectsRepository, ProjectTransactions } from './projects.repository.js';
import { ProjectSettings } from './project-settings.service.js';
import { ProjectsController } from './projects.controller.js';
import { ReservedSlugs } from './reserved-slugs.js';
import { SuspensionGuard } from './suspension.guard.js';

/** Projects, their deployments and the stored files of these, and their origins. */
@Module({
  controllers: [ProjectsController, DeploymentsController, OriginsController],
  providers: [
    BundlesRepository,
    BundleStorage,
    DeploymentCollection,
    DeploymentRegistration,
    DeploymentsRepository,
    DeploymentsService,
    DeploymentsSweeper,
    IdleObjects,
    OriginsRepository,
    OriginsService,
    OriginTests,
    ProjectPresenter,
    ProjectSettings,
    ProjectsRepository,
    ProjectTransactions,
    ReservedSlugs,
    ServedDeployments,
    SiteIndexBuilder,
    StoredObjectsRepository,
    SuspensionGuard,
    UploadSlots,
    UploadSpace,
    UploadsSweeper,
  ],
  exports: [
    BundlesRepository,
    DeploymentsRepository,
    OriginsRepository,
    ProjectsRepository,
    ProjectTransactions,
    SuspensionGuard,
  ],
})
export class ProjectsModule {
  /** @param imports the module that provides `RoutePublisher` and `OriginReports` */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ProjectsModule, imports: [HttpModule, AccessModule, ...imports] };
  }
}
