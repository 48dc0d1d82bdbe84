import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { NamesModule } from '../names/names.module.js';
import { ChannelLinks } from './channels/channel-links.service.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ChannelRemovals, ChannelsService, ChannelsSweeper } from './channels/channels.service.js';
import { BundleReceiver, BundleStorage, UploadsSweeper } from './deployments/bundle-storage.service.js';
import { BundlesRepository, StoredObjectsRepository } from './deployments/bundles.repository.js';
import { ChannelsRepository } from './deployments/channels.repository.js';
import { DeploymentCollection, DeploymentsSweeper, IdleObjects } from './deployments/deployment-collection.service.js';
import { DeploymentRegistration } from './deployments/deployment-registration.service.js';
import { DeploymentsController } from './deployments/deployments.controller.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentComparison, DeploymentsService } from './deployments/deployments.service.js';
import { ServedChannels, ServedDeployments } from './deployments/served-channels.service.js';
import { SiteIndexBuilder } from './deployments/site-index.service.js';
import { OriginHealthRepository } from './origins/origin-health.repository.js';
import { OriginHealthService } from './origins/origin-health.service.js';
import { OriginOccurrences } from './origins/origin-occurrences.js';
import { UploadSlots, UploadSpace } from './deployments/upload-slots.js';
import { OriginTests } from './origins/origin-tests.service.js';
import { OriginsController } from './origins/origins.controller.js';
import { OriginsRepository } from './origins/origins.repository.js';
import { OriginsService } from './origins/origins.service.js';
import { ProjectPresenter } from './project-presenter.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectSettings } from './project-settings.service.js';
import { ProjectsRepository, ProjectTransactions } from './projects.repository.js';
import { ReservedSlugs } from './reserved-slugs.js';
import { SuspensionGuard } from './suspension.guard.js';
import { DeploymentUploadsController } from './uploads/deployment-uploads.controller.js';
import { DeploymentUploadsRepository } from './uploads/deployment-uploads.repository.js';
import { KeptContents } from './uploads/kept-contents.service.js';
import { UploadCompletion, UploadFiles } from './uploads/deployment-uploads.service.js';
import { UploadOpening } from './uploads/upload-opening.service.js';

/** Projects, their deployments, channels and origins, and the stored files of the deployments. */
@Module({
  controllers: [
    ProjectsController,
    DeploymentsController,
    DeploymentUploadsController,
    ChannelsController,
    OriginsController,
  ],
  providers: [
    BundleReceiver,
    BundlesRepository,
    BundleStorage,
    ChannelLinks,
    ChannelRemovals,
    ChannelsRepository,
    ChannelsService,
    ChannelsSweeper,
    DeploymentCollection,
    DeploymentComparison,
    DeploymentRegistration,
    DeploymentsRepository,
    DeploymentsService,
    DeploymentsSweeper,
    DeploymentUploadsRepository,
    IdleObjects,
    KeptContents,
    OriginHealthRepository,
    OriginHealthService,
    OriginOccurrences,
    OriginsRepository,
    OriginsService,
    OriginTests,
    ProjectPresenter,
    ProjectSettings,
    ProjectsRepository,
    ProjectTransactions,
    ReservedSlugs,
    ServedChannels,
    ServedDeployments,
    SiteIndexBuilder,
    StoredObjectsRepository,
    SuspensionGuard,
    UploadCompletion,
    UploadFiles,
    UploadOpening,
    UploadSlots,
    UploadSpace,
    UploadsSweeper,
  ],
  exports: [
    BundlesRepository,
    ChannelsRepository,
    DeploymentsRepository,
    OriginsRepository,
    ProjectsRepository,
    ProjectTransactions,
    SuspensionGuard,
  ],
})
export class ProjectsModule {
  /** @param imports the module that provides `RoutePublisher`, `OriginReports`, the feed and its acknowledgements */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ProjectsModule, imports: [HttpModule, AccessModule, NamesModule, ...imports] };
  }
}
