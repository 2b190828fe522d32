import { Module } from '@nestjs/common';
import { StorageModule } from '../storage/storage.module';
import { AdminModelsController } from './admin-models.controller';
import { AdminModelsService } from './admin-models.service';
import { ModelsController } from './models.controller';
import { ModelsService } from './models.service';
import { PackageCleanupJob } from './model-packages/package-cleanup.job';
import { PackagesService } from './model-packages/packages.service';
import { PackageUploadsController } from './uploads/resumable/package-uploads.controller';
import { PackageUploadsService } from './uploads/resumable/package-uploads.service';
import { UploadCompletionJob } from './uploads/resumable/upload-completion.job';
import { UploadCompletionService } from './uploads/upload-completion.service';
import { UploadService } from './uploads/upload.service';

/** Models that customers download: their descriptions, packages and uploads. */
@Module({
  imports: [StorageModule],
  controllers: [ModelsController, AdminModelsController, PackageUploadsController],
  providers: [
    ModelsService,
    AdminModelsService,
    PackagesService,
    PackageCleanupJob,
    PackageUploadsService,
    UploadCompletionJob,
    UploadCompletionService,
    UploadService,
  ],
})
export class ModelsModule {}
