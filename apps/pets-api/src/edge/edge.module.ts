import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { EdgeAcknowledgements, EdgeFeed, EdgeProbes } from '../domains/edge-ports.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { EdgeAcks } from './edge-acks.js';
import { EdgeCertificatesController } from './edge-certificates.controller.js';
import { EdgeFeedController } from './edge-feed.controller.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';
import { EdgeProbesRepository } from './edge-probes.repository.js';
import { FeedRoutePublisher } from './feed-route-publisher.js';
import { GatewayController } from './gateway.controller.js';
import { RoutableProjectsRepository } from './routable-projects.repository.js';
import { SealedCertificates } from './sealed-certificates.service.js';

/**
 * The feed that edges read and acknowledge. Projects and domains own the interfaces that this module exports. It imports only
 * types from their modules, so that they can import this one.
 */
@Module({
  imports: [AccessModule],
  controllers: [EdgeCertificatesController, EdgeFeedController, GatewayController],
  providers: [
    EdgeAcks,
    EdgeFeedRepository,
    EdgeProbesRepository,
    FeedRoutePublisher,
    RoutableProjectsRepository,
    SealedCertificates,
    { provide: RoutePublisher, useExisting: FeedRoutePublisher },
    { provide: EdgeFeed, useExisting: EdgeFeedRepository },
    { provide: EdgeAcknowledgements, useExisting: EdgeAcks },
    { provide: EdgeProbes, useExisting: EdgeProbesRepository },
  ],
  exports: [RoutePublisher, EdgeFeed, EdgeAcknowledgements, EdgeProbes],
})
export class EdgeModule {}
