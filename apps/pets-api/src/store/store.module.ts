import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersRepository, OrdersService } from './orders/orders.service.js';
import { DeprecatedCallsCounter, DeprecatedCallsRepository } from './pets/deprecated-calls.counter.js';
import { GetPetNoticeController, PetsController } from './pets/get-pet.controller.js';
import { PetsPageQuery, PetsRepository } from './pets/pets.repository.js';
import { PetsRoutes } from './pets/pets.routes.js';

/** The pet store: animals and orders. */
@Module({
  imports: [HttpModule],
  controllers: [PetsController, GetPetNoticeController, OrdersController],
  providers: [
    DeprecatedCallsCounter,
    DeprecatedCallsRepository,
    OrdersRepository,
    OrdersService,
    PetsPageQuery,
    PetsRepository,
    PetsRoutes,
  ],
  exports: [PetsRoutes],
})
export class StoreModule {}
