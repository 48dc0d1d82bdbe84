import { Module } from '@nestjs/common';
import type { Config } from '../platform/config.js';
import { CONFIG, DASHBOARD } from '../platform/providers.js';
import { readDashboard } from './dashboard/dashboard-files.js';
import { DashboardController, SetupLinkPageController } from './dashboard/dashboard.controller.js';
import { HealthController } from './health.controller.js';
import { Idempotency, IdempotentAnswersRepository } from './idempotency/idempotency.service.js';
import { DocsController, OpenApiController, ProblemsController } from './openapi/openapi.controller.js';
import { Pages } from './paging/pages.js';
import { RateLimiter } from './rate-limiter.js';

/** Infrastructure of all routes, and the routes without a feature: health, API reference, dashboard, page of set-up links. */
@Module({
  controllers: [
    HealthController,
    OpenApiController,
    DocsController,
    ProblemsController,
    DashboardController,
    SetupLinkPageController,
  ],
  providers: [
    {
      provide: DASHBOARD,
      inject: [CONFIG],
      useFactory: ({ DASHBOARD_FOLDER }: Pick<Config, 'DASHBOARD_FOLDER'>) => readDashboard(DASHBOARD_FOLDER),
    },
    Idempotency,
    IdempotentAnswersRepository,
    Pages,
    RateLimiter,
  ],
  exports: [Idempotency, Pages, RateLimiter],
})
export class HttpModule {}
