import 'reflect-metadata';
import { createHash } from 'node:crypto';
import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  Post,
  Query,
  Req,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Column, Entity, IsNull, MoreThan, PrimaryGeneratedColumn, Repository } from 'typeorm';

/** The default that a user of Nest would pick: Express, TypeORM, class-validator behind a ValidationPipe, a guard. */
const { DATABASE_URL = '', HOST = '127.0.0.1', PORT = '0' } = process.env;

@Entity('api_keys')
class ApiKey {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('uuid') organization_id!: string;
  @Column('bytea') hash!: Buffer;
  @Column('timestamptz', { nullable: true }) revoked_at!: Date | null;
}

@Entity('pets')
class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('uuid') organization_id!: string;
  @Column('text') name!: string;
  @Column('bigint', { name: 'category_id' }) categoryId!: string;
  @Column('text') status!: string;
}

class ListQuery {
  @Type(() => Number) @IsInt() @Min(1) @Max(100) @IsOptional() limit = 20;
  @IsIn(['available', 'pending', 'sold']) @IsOptional() status?: string;
  @Type(() => Number) @IsInt() @IsOptional() after = 0;
}

class NewPet {
  @IsString() @Length(1, 255) name!: string;
  @IsInt() categoryId!: number;
  @IsIn(['available', 'pending', 'sold']) @IsOptional() status = 'available';
}

interface Authenticated {
  headers: { authorization?: string };
  organizationId: string;
}

@Injectable()
class KeyGuard implements CanActivate {
  private readonly known = new Map<string, { organizationId: string; until: number }>();

  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Authenticated>();
    const hash = createHash('sha256')
      .update((request.headers.authorization ?? '').slice('Bearer '.length))
      .digest();
    const id = hash.toString('base64');
    const cached = this.known.get(id);
    if (cached === undefined || cached.until <= Date.now()) {
      const key = await this.keys.findOneBy({ hash, revoked_at: IsNull() });
      if (key === null) throw new UnauthorizedException();
      this.known.set(id, { organizationId: key.organization_id, until: Date.now() + 1_000 });
    }
    request.organizationId = this.known.get(id)?.organizationId ?? '';
    return true;
  }
}

@Controller('v1/pets')
@UseGuards(KeyGuard)
class PetsController {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  @Get()
  async list(@Req() request: Authenticated, @Query() { limit, status, after }: ListQuery): Promise<object[]> {
    const found = await this.pets.find({
      where: {
        organization_id: request.organizationId,
        id: MoreThan(String(after)),
        ...(status !== undefined && { status }),
      },
      order: { id: 'ASC' },
      take: limit,
    });
    return found.map((pet) => ({
      id: Number(pet.id),
      name: pet.name,
      categoryId: Number(pet.categoryId),
      status: pet.status,
    }));
  }

  @Post()
  async create(@Req() request: Authenticated, @Body() body: NewPet): Promise<object> {
    const pet = this.pets.create({
      ...body,
      categoryId: String(body.categoryId),
      organization_id: request.organizationId,
    });
    const { id } = await this.pets.save(pet);
    return { id: Number(id), ...body };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: DATABASE_URL, entities: [ApiKey, Pet], extra: { max: 10 } }),
    TypeOrmModule.forFeature([ApiKey, Pet]),
  ],
  controllers: [PetsController],
  providers: [KeyGuard],
})
class PeerModule {}

const app = await NestFactory.create(PeerModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(Number(PORT), HOST);
process.on('SIGTERM', () => process.exit(0));
