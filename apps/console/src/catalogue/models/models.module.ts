import { Module } from '@nestjs/common';
import { StorageModule } from '../storage/storage.module';
import { AdminModelsController } from './admin-models.controller';
import { AdminModelsService } from './admin-models.service';
import { ModelsController } from './models.controller';
import { ModelsService } from './models.service';
import { PackageCleanupJob } from './model-packages/package-cleanup.job';
import { PackagesService } from './model-packages/packages.service';
import { UploadService } from './uploads/upload.service';

/** Models that customers download: their descriptions, packages and uploads. */
@Module({
  imports: [StorageModule],
  controllers: [ModelsController, AdminModelsController],
  providers: [ModelsService, AdminModelsService, PackagesService, PackageCleanupJob, UploadService],
})
export class ModelsModule {}
