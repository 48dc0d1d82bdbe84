import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import {
  EdgeAcknowledgements,
  EdgeFeed,
  EdgeHandshakes,
  EdgeProbes,
  PlatformCertificateFeed,
} from '../names/edge-ports.js';
import { OriginReports } from '../projects/origins/origin-reports.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { AwaitedVersions, EdgeAcks } from './edge-acks.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';
import { EdgeProbesRepository } from './edge-probes.repository.js';
import { EdgeSnapshots } from './feed-protocol.js';
import { FeedRoutePublisher } from './feed-route-publisher.js';
import { EdgeCertificatesController, GatewayController } from './gateway.controller.js';
import { RoutableProjectsRepository } from './routable-projects.repository.js';
import { PlatformCertificateFeedRepository, SealedCertificates } from './sealed-certificates.service.js';
import { CatchUp } from './sessions/catch-up.js';
import { EdgeSessionController } from './sessions/edge-session.controller.js';
import { EdgeSessions } from './sessions/edge-sessions.service.js';
import { FeedHub } from './sessions/feed-hub.js';
import { ClusterIdentity, FeedPagesRepository } from './sessions/feed-pages.repository.js';
import { EdgeReportsRepository, ReportBatches } from './sessions/report-batches.js';
import { SnapshotsRepository } from './snapshots/snapshots.repository.js';
import { SnapshotsService } from './snapshots/snapshots.service.js';
import { EndedRoutesRepository, SnapshotCollection, SnapshotsSweeper } from './snapshots/snapshots.sweeper.js';

/**
 * The feed that edges read and acknowledge. Projects and domains own the interfaces that this module exports. It imports only
 * types from their modules, so that they can import this one.
 */
@Module({
  imports: [AccessModule],
  controllers: [EdgeCertificatesController, EdgeSessionController, GatewayController],
  providers: [
    AwaitedVersions,
    CatchUp,
    ClusterIdentity,
    EdgeAcks,
    EdgeFeedRepository,
    EdgeProbesRepository,
    EdgeReportsRepository,
    EdgeSessions,
    FeedHub,
    FeedPagesRepository,
    EndedRoutesRepository,
    FeedRoutePublisher,
    PlatformCertificateFeedRepository,
    ReportBatches,
    RoutableProjectsRepository,
    SealedCertificates,
    SnapshotCollection,
    SnapshotsRepository,
    SnapshotsService,
    SnapshotsSweeper,
    { provide: EdgeSnapshots, useExisting: SnapshotsService },
    { provide: RoutePublisher, useExisting: FeedRoutePublisher },
    { provide: EdgeFeed, useExisting: EdgeFeedRepository },
    { provide: EdgeAcknowledgements, useExisting: EdgeAcks },
    { provide: EdgeHandshakes, useExisting: EdgeSessions },
    { provide: OriginReports, useExisting: EdgeSessions },
    { provide: EdgeProbes, useExisting: EdgeProbesRepository },
    { provide: PlatformCertificateFeed, useExisting: PlatformCertificateFeedRepository },
  ],
  exports: [
    EdgeAcknowledgements,
    EdgeFeed,
    EdgeHandshakes,
    EdgeProbes,
    OriginReports,
    PlatformCertificateFeed,
    RoutePublisher,
  ],
})
export class EdgeModule {}
