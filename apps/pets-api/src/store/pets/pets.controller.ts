import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { petPathSchema, type Pet, type PetPath } from '@pets/contracts';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { GetPetDeprecationGuard } from './get-pet-deprecation.js';
import { PetsRepository } from './pets.repository.js';

/** `getPet`, until its sunset. `listPets` and `createPet` are in `pets.routes.ts`. */
@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsRepository) {}

  /** Deprecated: see `get-pet-deprecation.ts`. */
  @Get(':petId')
  @UseGuards(GetPetDeprecationGuard)
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param({ schema: petPathSchema }) { petId }: PetPath,
  ): Promise<Pet> {
    return this.pets.get(organizationId, petId);
  }
}
