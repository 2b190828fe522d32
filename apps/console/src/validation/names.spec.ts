import { validated } from '@inference/dto';
import { HOSTILE_NAMES } from '@inference/testing';
import { type Type } from '@nestjs/common';
import { CreateInvoiceDto } from '../billing/invoices/invoices.dto';
import { GpuHistoryQuery, ModelHistoryQuery } from '../billing/pricing/price-history.dto';
import {
  GpuPriceChangeDto,
  GpuPriceDto,
  ModelPriceChangeDto,
  ModelPriceDto,
} from '../billing/pricing/pricing.dto';
import { ChangelogEntryDto } from '../catalogue/changelog/changelog.dto';
import { NewModelPath, NewPackagePath, PutModelDto } from '../catalogue/models/models.dto';
import { BeginUploadDto } from '../catalogue/models/uploads/resumable/package-uploads.dto';
import { UploadQuery } from '../catalogue/models/uploads/uploads.dto';
import { PutReleaseDto, ReleaseAssetDto } from '../catalogue/releases/published/releases.dto';
import { CreateApiKeyDto, UpdateApiKeyDto } from '../identity/api-keys/api-keys.dto';

/** Every field of a name that the console stores or looks up. Usernames and versions have a form of their own. */
const NAMES: { dto: Type<object>; field: string }[] = [
  { dto: CreateApiKeyDto, field: 'name' },
  { dto: UpdateApiKeyDto, field: 'name' },
  { dto: PutModelDto, field: 'name' },
  { dto: PutModelDto, field: 'family' },
  { dto: PutModelDto, field: 'parameters' },
  { dto: PutModelDto, field: 'quantization' },
  { dto: PutModelDto, field: 'format' },
  { dto: PutModelDto, field: 'license' },
  { dto: NewModelPath, field: 'slug' },
  { dto: NewPackagePath, field: 'slug' },
  { dto: NewPackagePath, field: 'version' },
  { dto: BeginUploadDto, field: 'slug' },
  { dto: BeginUploadDto, field: 'file_name' },
  { dto: UploadQuery, field: 'file_name' },
  { dto: PutReleaseDto, field: 'name' },
  { dto: ReleaseAssetDto, field: 'name' },
  { dto: ChangelogEntryDto, field: 'title' },
  { dto: ModelPriceDto, field: 'slug' },
  { dto: ModelPriceChangeDto, field: 'slug' },
  { dto: ModelHistoryQuery, field: 'slug' },
  { dto: GpuPriceDto, field: 'name' },
  { dto: GpuPriceChangeDto, field: 'name' },
  { dto: GpuHistoryQuery, field: 'name' },
  { dto: CreateInvoiceDto, field: 'title' },
];
/** The form of these fields excludes control and direction characters, but not these three words. */
const WORDS = ['constructor', 'prototype'];

describe('the names of the console', () => {
  it.each(NAMES)('of $dto.name refuse hostile texts in $field', async ({ dto, field }) => {
    for (const [why, text] of HOSTILE_NAMES) {
      const isVersion = field === 'version' && WORDS.includes(text);
      const message = await validated(dto, { [field]: text }).then(
        () => 'no fault',
        (error: Error) => error.message,
      );
      const named = message.split('; ').some((fault) => fault.startsWith(`${field}: must `));
      expect([field, why, named]).toEqual([field, why, !isVersion]);
    }
  });
});
